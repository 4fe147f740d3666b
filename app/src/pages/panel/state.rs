//! What a panel is made of while somebody fills it.

use domain::draft::Draft;
use domain::finder::{Advice, AdviceAsk};
use leptos::prelude::*;
use time::OffsetDateTime;

use super::look::{Look, Sight, look};
use super::scene::Scene;

/// A panel. What is in it can be changed from everywhere; how it looks follows.
#[derive(Clone, Copy)]
pub struct Panel {
    /// What it knows.
    pub scene: RwSignal<Scene>,
    /// What stands in the fields.
    pub draft: RwSignal<Draft>,
    /// The time, to the minute.
    pub now: RwSignal<OffsetDateTime>,
    /// Somebody has tried to send it.
    pub done: RwSignal<bool>,
    /// What the finder has said, and about what.
    pub advice: RwSignal<Option<(AdviceAsk, Advice)>>,
    /// Why the portal has refused what was sent last.
    pub refused: RwSignal<Option<String>>,
    /// What was done beside booking.
    pub told: RwSignal<Option<String>>,
    /// A change of all that follow was refused where clocks show a time twice: which is meant is asked.
    pub twice: RwSignal<bool>,
    /// An answer is awaited.
    pub sending: RwSignal<bool>,
    /// The form's element.
    pub form: NodeRef<leptos::html::Form>,
    /// How it looks.
    pub look: Memo<Look>,
}

impl Panel {
    /// A panel with this in its fields. `done` where it was sent and came back.
    pub fn new(scene: Scene, draft: Draft, done: bool) -> Self {
        let now = RwSignal::new(scene.made_at());
        // Without scripts what it was refused for is not known here.
        let twice = RwSignal::new(done && draft.is_change() && draft.scope == "following");
        let (scene, draft, done) = (RwSignal::new(scene), RwSignal::new(draft), RwSignal::new(done));
        let advice = RwSignal::new(None);
        let look = Memo::new(move |_| {
            let (now, done) = (now.get(), done.get());
            scene.with(|scene| {
                advice.with(|advice| {
                    draft.with(|draft| look(draft, &Sight { scene, advice: advice.as_ref(), now, done }))
                })
            })
        });
        Self {
            scene,
            draft,
            now,
            done,
            advice,
            refused: RwSignal::new(None),
            told: RwSignal::new(None),
            twice,
            sending: RwSignal::new(false),
            form: NodeRef::new(),
            look,
        }
    }

    /// Changes the draft from within: a chip, a way out. The fields follow.
    pub fn change(self, act: impl FnOnce(&mut Draft)) {
        self.draft.update(act);
        self.refused.set(None);
        self.told.set(None);
        #[cfg(feature = "hydrate")]
        if let Some(form) = self.form.get_untracked() {
            self.draft.with_untracked(|draft| super::fields::write(draft, &form));
        }
    }

    /// Puts what is said in words into the two times, where it means something.
    pub fn hear(self) {
        let zone = self.scene.with_untracked(|scene| scene.zone.clone());
        let mut draft = self.draft.get_untracked();
        if !draft.spoken.is_empty() && draft.hear(&zone, self.now.get_untracked()).is_ok() {
            self.change(|now| *now = draft);
        }
    }

    /// A part of how it looks, which changes only when it differs.
    pub fn part<T>(self, part: impl Fn(&Look) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        let look = self.look;
        Memo::new(move |_| look.with(&part))
    }
}
