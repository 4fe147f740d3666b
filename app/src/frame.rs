//! What every page shares: who looks at it, in which zone, and what time it is.

use domain::address::with_query;
use domain::error::ErrorCode;
use domain::text::t;
use domain::wire::page::Frame;
use leptos::prelude::*;
use leptos_router::components::Redirect;
use leptos_router::hooks::use_location;

use crate::api::session;
use crate::components::failure::Failure;
use crate::error::AppError;

/// The frame's resource, in context.
#[derive(Clone, Copy)]
struct FrameResource(Resource<Result<Frame, AppError>>);

/// Fetches the frame once for the whole document; signing in or out loads a new document.
pub fn provide_frame() {
    provide_context(FrameResource(Resource::new_blocking(|| (), |()| session::frame())));
}

/// The frame; await it inside `Suspend`.
#[must_use]
pub fn use_frame() -> Resource<Result<Frame, AppError>> {
    // Without the context a page would wait for ever; a resource of its own is the same data, fetched again.
    use_context::<FrameResource>().map_or_else(|| Resource::new_blocking(|| (), |()| session::frame()), |frame| frame.0)
}

/// Shows `view` as soon as the frame and the page's data are there. Somebody who is not signed in is sent to sign in
/// and comes back; any other failure is said in place.
///
/// Call it in the component's body, with a resource that was made there: a resource made inside a `Suspend` has
/// another number in the browser than on the server.
pub fn loaded<T>(
    data: Resource<Result<T, AppError>>,
    view: impl Fn(Frame, T) -> AnyView + Clone + Send + Sync + 'static,
) -> AnyView
where
    T: Clone + Send + Sync + 'static,
{
    let frame = use_frame();
    let path = use_location();
    view! {
        <Transition fallback=|| ()>
            {move || {
                let view = view.clone();
                let here = format!("{}{}", path.pathname.get_untracked(), query(&path.search.get_untracked()));
                Suspend::new(async move {
                    match (frame.await, data.await) {
                        (Ok(frame), Ok(data)) => view(frame, data),
                        (Err(error), _) | (_, Err(error)) => failed(error, &here),
                    }
                })
            }}
        </Transition>
    }
    .into_any()
}

/// Shows `view` as soon as the frame is there, signed in or not.
pub fn framed(view: impl Fn(Frame) -> AnyView + Clone + Send + Sync + 'static) -> AnyView {
    let frame = use_frame();
    view! {
        <Suspense fallback=|| ()>
            {move || {
                let view = view.clone();
                Suspend::new(async move {
                    match frame.await {
                        Ok(frame) => view(frame),
                        Err(error) => view! { <Failure error /> }.into_any(),
                    }
                })
            }}
        </Suspense>
    }
    .into_any()
}

fn query(search: &str) -> String {
    let search = search.trim_start_matches('?');
    if search.is_empty() { String::new() } else { format!("?{search}") }
}

fn failed(error: AppError, here: &str) -> AnyView {
    if error.code() == Some(ErrorCode::SignInNeeded) {
        return view! { <Redirect path=sign_in_path(here) /> }.into_any();
    }
    view! { <Failure error /> }.into_any()
}

/// The sign-in page, to come back to `here` afterwards.
#[must_use]
pub fn sign_in_path(here: &str) -> String {
    if here == "/" || here.is_empty() {
        return "/sign-in".to_owned();
    }
    with_query("/sign-in", [("next", here)])
}

/// Where to go after signing in: an address of this portal, or the live page.
#[must_use]
pub fn safe_next(next: Option<String>) -> String {
    // `//host` and `/\host` lead to other sites.
    next.filter(|path| {
        let mut bytes = path.bytes();
        bytes.next() == Some(b'/')
            && !matches!(bytes.next(), Some(b'/' | b'\\'))
            && path.bytes().all(|byte| (0x21..0x7f).contains(&byte))
            && !path.starts_with("/sign-")
    })
    .unwrap_or_else(|| "/".to_owned())
}

/// Loads a new document, so that nothing of the one before stays in memory.
pub fn go(path: &str) {
    #[cfg(feature = "hydrate")]
    let _ = window().location().set_href(path);
    #[cfg(not(feature = "hydrate"))]
    let _ = path;
}

/// Title of the document.
#[must_use]
pub fn title(page: &str) -> String {
    (t().frame.title)(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_survives_signing_in() {
        assert_eq!(sign_in_path("/"), "/sign-in");
        assert_eq!(sign_in_path("/book?card=GPU-1&card=ä"), "/sign-in?next=/book%3Fcard%3DGPU-1%26card%3D%C3%A4");
    }

    #[test]
    fn nobody_is_sent_to_another_site() {
        let next = |path: &str| safe_next(Some(path.to_owned()));
        assert_eq!(next("/book?card=GPU-1"), "/book?card=GPU-1");
        for bad in
            ["//evil.example", "/\\evil.example", "https://evil.example", "book", "", "/a b", "/a\nb", "/sign-in"]
        {
            assert_eq!(next(bad), "/", "{bad}");
        }
        assert_eq!(safe_next(None), "/");
    }
}
