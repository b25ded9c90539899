//! The question of a first visit, from the worked cases of a folder.

use bareme_engine::law::parameter::OF_THE_DAY;
use bareme_engine::law::{Input, Method, Presence};
use jiff::civil::Date;

use super::driver::driver;
use crate::catalogue::ListedFolder;

/// The parameters of a worked case: the required inputs and the options; all of them where the law
/// requires an input that another may replace, or none.
pub(super) fn example(
    listed: &ListedFolder,
    method: &Method,
    today: Date,
) -> Vec<(String, String)> {
    let Some(case) = listed.example() else {
        return Vec::new();
    };

    // What the law asks for, and the amount to start from: the rest has defaults.
    let driver = driver(method).map(|driver| driver.input.name.as_str());
    let is_asked = |input: &&Input| {
        (matches!(input.presence, Presence::Required) && !input.is_absent)
            || driver == Some(input.name.as_str())
    };

    let asked = method.inputs().iter().filter(is_asked);
    let pairs = asked.filter_map(|input| {
        case.query
            .iter()
            .find(|(name, _)| *name == input.name)
            .cloned()
    });

    // A pay is shown with its options, such as the employer's part.
    let options = if driver.is_some() {
        method.options()
    } else {
        &[]
    };
    let on = options
        .iter()
        .map(|option| (option.name.clone(), "true".to_owned()));

    let pairs: Vec<_> = pairs.chain(on).collect();
    // The case as a whole has an answer in any event; where nothing has to be sent, the rest is
    // the example.
    if !pairs.is_empty()
        && listed
            .folder
            .calculate(&listed.query(&pairs), today)
            .is_ok()
    {
        return pairs;
    }
    let of_case = case.query.iter();
    let undated = of_case.filter(|(name, _)| !OF_THE_DAY.contains(&name.as_str()));
    undated.cloned().collect()
}
