//! Fetching again what an act has changed.

use leptos::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::AppError;

/// Fetches `data` again each time an act has succeeded. `version` counts its answers, `succeeded` judges the last one.
/// After a refusal nothing is fetched: what was typed stays.
pub fn refetch_after<T>(
    data: Resource<Result<T, AppError>>,
    version: impl Fn() -> usize + 'static,
    succeeded: impl Fn() -> bool + 'static,
) where
    T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    Effect::new(move |before: Option<usize>| {
        let version = version();
        if before.is_some_and(|before| before != version) && untrack(&succeeded) {
            data.refetch();
        }
        version
    });
}
