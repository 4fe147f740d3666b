//! Where a pointer is: pixels into rows and times. Measured once for each drag and each drawing, never while moving.

use domain::calendar::Zoom;
use domain::calendar::lanes::Place;
use web_sys::HtmlElement;

use crate::live::dom::find;

/// Sizes of the timeline, in pixels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grid {
    /// The box on the screen.
    pub left: f64,
    /// Likewise.
    pub top: f64,
    /// Likewise.
    pub width: f64,
    /// Likewise.
    pub tall: f64,
    /// Width of the heads of the rows.
    pub head: f64,
    /// Height of the axis.
    pub axis: f64,
    /// Height of a host's head.
    pub hosthead: f64,
    /// Height of a row.
    pub lane: f64,
    /// Width of an hour.
    pub hour: f64,
}

impl Grid {
    /// As it is now.
    #[must_use]
    pub fn measure(scroll: &HtmlElement, tl: &HtmlElement, zoom: Zoom) -> Self {
        let frame = scroll.get_bounding_client_rect();
        let size = |selector: &str| {
            let element = find(&Some(tl.clone().into()), selector)?;
            let rect = element.get_bounding_client_rect();
            Some((rect.width(), rect.height()))
        };
        let (head, axis_height) = size(".corner").unwrap_or((0.0, 0.0));
        let width = f64::from(scroll.client_width());
        // The root's own size counts: people make text larger.
        let rem = size(".tl-axis").map_or(16.0, |(_, height)| height / 2.7);
        Self {
            left: frame.left(),
            top: frame.top(),
            width,
            tall: f64::from(scroll.client_height()),
            head,
            axis: axis_height,
            hosthead: size(".hosthead").map_or(1.75 * rem, |(_, height)| height),
            lane: size(".lanes > .lane").map_or(2.0 * rem, |(_, height)| height),
            hour: ((width - head) / f64::from(zoom.days() * 24)).max(0.1),
        }
    }

    /// Height of a host with so many rows in sight.
    #[must_use]
    pub fn height(&self, rows: usize) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "cards of one host")]
        let rows = rows as f64;
        self.hosthead + rows * self.lane
    }

    /// The place at so many pixels below the axis. A host's head counts as its first row; below everything is the last.
    #[must_use]
    pub fn place(&self, hosts: &[usize], y: f64) -> Option<Place> {
        let mut edge = 0.0;
        let mut last = None;
        for (host, rows) in hosts.iter().enumerate() {
            if *rows > 0 {
                let into = (y - edge - self.hosthead) / self.lane;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a row of one host")]
                let row = (into.max(0.0) as usize).min(rows - 1);
                last = Some((host, row));
            }
            edge += self.height(*rows);
            if y < edge && last.is_some() {
                break;
            }
        }
        last
    }

    /// Pixels from the axis to the upper edge of a place.
    #[must_use]
    pub fn top_of(&self, hosts: &[usize], place: Place) -> f64 {
        let above: f64 = hosts.iter().take(place.0).map(|rows| self.height(*rows)).sum();
        above + self.height(place.1)
    }
}
