//! The table of secrets that consist of a prefix and a run of characters.
//!
//! Lengths are those that issuers document or use; where they do not promise one, the minimum is a
//! little lower. A form with a fixed length states it, because that distinguishes it from a name.

use std::ops::Range;

use super::characters::{CharSet, can_begin_after, is_plausibly_random};
use CharSet::{Base64, Capital, Hex, Letter, Word};

/// One form of secret.
#[derive(Debug)]
pub(super) struct SecretForm {
    prefix: &'static str,
    /// The characters that follow the prefix.
    characters: CharSet,
    least: usize,
    most: usize,
    /// The number of dots that may join further runs of the characters.
    max_dots: usize,
    visible: VisiblePart,
}

/// The part of a form that is not secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VisiblePart {
    Nothing,
    /// The prefix is the name of a field or a host, and tells what is masked.
    Prefix,
}

/// Stands for a maximum length that no issuer promises.
const UNBOUNDED: usize = usize::MAX;

/// Every form. GitHub's app tokens may contain a JWT with its dots; GitLab's tokens may have
/// routing parts after dots. Google's and Notion's API keys come in two generations. Twilio's `SK`
/// values and AWS's key ids are only the names of keys, but are masked as well.
pub(super) static FORMS: &[SecretForm] = &[
    // Models: Anthropic, OpenAI and similar services, OpenRouter, Groq, xAI, Hugging Face.
    form("sk-ant-", Word, 40, UNBOUNDED),
    form("sk-proj-", Word, 40, UNBOUNDED),
    form("sk-svcacct-", Word, 40, UNBOUNDED),
    form("sk-admin-", Word, 40, UNBOUNDED),
    form("sk-", Letter, 32, UNBOUNDED),
    form("sk-or-v1-", Hex, 64, 64),
    form("gsk_", Letter, 48, UNBOUNDED),
    form("xai-", Letter, 64, UNBOUNDED),
    form("hf_", Letter, 34, UNBOUNDED),
    // Code hosting: GitHub, GitLab.
    form("ghp_", Letter, 36, UNBOUNDED),
    form("gho_", Letter, 36, UNBOUNDED),
    form("ghr_", Letter, 36, UNBOUNDED),
    form("ghu_", Word, 36, UNBOUNDED).with_max_dots(2),
    form("ghs_", Word, 36, UNBOUNDED).with_max_dots(2),
    form("github_pat_", Word, 80, UNBOUNDED),
    form("glpat-", Word, 20, UNBOUNDED).with_max_dots(2),
    form("gldt-", Word, 20, UNBOUNDED).with_max_dots(2),
    form("glrt-", Word, 20, UNBOUNDED).with_max_dots(2),
    // Clouds: AWS, Google, Azure (account and service bus keys), DigitalOcean, Databricks.
    form("AKIA", Capital, 16, 16),
    form("ASIA", Capital, 16, 16),
    form("AIza", Word, 35, 35),
    form("AQ.Ab", Word, 40, UNBOUNDED),
    form("GOCSPX-", Word, 28, 28),
    form("ya29.", Word, 40, UNBOUNDED).with_max_dots(2),
    form("AccountKey=", Base64, 88, 88).with_visible_prefix(),
    form("SharedAccessKey=", Base64, 44, 44).with_visible_prefix(),
    form("dop_v1_", Hex, 64, 64),
    form("doo_v1_", Hex, 64, 64),
    form("dor_v1_", Hex, 64, 64),
    form("dapi", Hex, 32, 32),
    // Slack: tokens and incoming webhooks.
    form("xoxb-", Word, 24, UNBOUNDED),
    form("xoxp-", Word, 24, UNBOUNDED),
    form("xoxa-", Word, 24, UNBOUNDED),
    form("xoxr-", Word, 24, UNBOUNDED),
    form("xoxs-", Word, 24, UNBOUNDED),
    form("xoxe-", Word, 24, UNBOUNDED),
    form("xapp-", Word, 24, UNBOUNDED),
    form("hooks.slack.com/services/", Base64, 40, 80).with_visible_prefix(),
    // Payments, mail, telephony, shops: Stripe, webhook signing secrets, SendGrid, Twilio, Shopify.
    form("sk_live_", Letter, 20, UNBOUNDED),
    form("rk_live_", Letter, 20, UNBOUNDED),
    form("sk_test_", Letter, 20, UNBOUNDED),
    form("rk_test_", Letter, 20, UNBOUNDED),
    form("whsec_", Base64, 32, 88),
    form("SG.", Word, 66, 66).with_max_dots(1),
    form("SK", Hex, 32, 32),
    form("shpat_", Hex, 32, 32),
    form("shpss_", Hex, 32, 32),
    form("shpca_", Hex, 32, 32),
    form("shppa_", Hex, 32, 32),
    // Package registries: npm, PyPI, and the Rust registry with its trusted publishing.
    form("npm_", Letter, 36, 36),
    form("pypi-AgE", Word, 50, UNBOUNDED),
    form("cio", Letter, 32, 32),
    form("cio_tp_", Letter, 32, 32),
    // Productivity: Linear, Notion.
    form("lin_api_", Letter, 40, UNBOUNDED),
    form("ntn_", Letter, 40, UNBOUNDED),
    form("secret_", Letter, 43, 43),
    // Secret stores: Vault, Doppler, age.
    form("hvs.", Word, 24, UNBOUNDED),
    form("hvb.", Word, 64, UNBOUNDED),
    form("dp.st.", Word, 40, UNBOUNDED).with_max_dots(1),
    form("dp.pt.", Word, 40, UNBOUNDED),
    form("dp.ct.", Word, 40, UNBOUNDED),
    form("dp.sa.", Word, 40, UNBOUNDED),
    form("AGE-SECRET-KEY-1", Capital, 58, 58),
    form("AGE-SECRET-KEY-PQ-1", Capital, 58, 58),
];

const fn form(prefix: &'static str, class: CharSet, least: usize, most: usize) -> SecretForm {
    SecretForm {
        prefix,
        characters: class,
        least,
        most,
        max_dots: 0,
        visible: VisiblePart::Nothing,
    }
}

impl SecretForm {
    const fn with_max_dots(mut self, dots: usize) -> Self {
        self.max_dots = dots;
        self
    }

    const fn with_visible_prefix(mut self) -> Self {
        self.visible = VisiblePart::Prefix;
        self
    }

    /// Returns the needles to search for: the prefix, or if it is too short to be rare, the prefix
    /// with each character that may follow.
    pub(super) fn needles(&self) -> Vec<String> {
        if self.prefix.len() > 2 {
            return vec![self.prefix.to_owned()];
        }
        let next = (0..=u8::MAX).filter(|byte| self.characters.contains(*byte)).map(char::from);
        next.map(|next| format!("{}{next}", self.prefix)).collect()
    }

    /// Finds the secret whose prefix is at `start`, if the rest has the form.
    pub(super) fn find_secret(&self, text: &str, start: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        if !can_begin_after(&bytes[..start]) {
            return None;
        }
        let body = start + self.prefix.len();
        let end = body + self.match_length(&bytes[body..]);
        let fits = (self.least..=self.most).contains(&(end - body));
        // The run ends where the set does, but a hash in capitals could continue in lowercase.
        let ends = !bytes.get(end).is_some_and(u8::is_ascii_alphanumeric);
        let start = if self.visible == VisiblePart::Prefix { body } else { start };
        (fits && ends && is_plausibly_random(&bytes[body..end])).then_some(start..end)
    }

    /// Measures how far the form reaches into `rest`. One byte over the maximum is enough to know.
    fn match_length(&self, rest: &[u8]) -> usize {
        let rest = &rest[..rest.len().min(self.most.saturating_add(1))];
        let mut length = self.characters.leading_run(rest);
        for _ in 0..self.max_dots {
            let Some((b'.', further)) = rest[length..].split_first() else {
                break;
            };
            match self.characters.leading_run(further) {
                0 => break,
                run => length += 1 + run,
            }
        }
        length
    }
}
