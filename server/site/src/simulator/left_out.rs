//! Options that a page leaves out where the law refuses them beside what was typed.

use bareme_engine::run::Edition;
use bareme_engine::text::{BadParameter, ParameterCode};
use jiff::civil::Date;

use super::question::Question;

impl Question<'_> {
    /// Leaves out the options that the law alone refuses. The page brings them, so that it is no
    /// mistake of the visitor: a pay with a bonus is shown without the employer's part, with the
    /// reason, rather than not at all.
    pub(super) fn leave_out_options(&mut self, today: Date) {
        let options = self.edition.map(Edition::method);
        let options = options.map(|method| method.options()).unwrap_or_default();
        let is_option = |bad: &BadParameter| {
            bad.code == ParameterCode::Incompatible
                && options.iter().any(|option| option.name == bad.name)
        };

        let is_on =
            |(name, _): &(String, String)| options.iter().any(|option| option.name == *name);

        // Nothing could be left out: the calculation to see what is refused would be for nothing.
        if !self.sent.iter().any(is_on) {
            return;
        }

        // A fault of the engine comes again where the answer is made.
        let Ok(Err(refused)) = self.calculate(today) else {
            return;
        };
        if refused.iter().all(is_option) {
            self.sent
                .retain(|(name, _)| !refused.iter().any(|bad| bad.name == *name));
            let lang = self.lang();
            let reasons = refused
                .iter()
                .map(|bad| bad.reason.in_lang(lang).to_owned());
            self.left_out = reasons.collect();
        }
    }
}
