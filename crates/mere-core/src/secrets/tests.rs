//! Tests for all forms. No secret is written out here, or scanners would find this file: each one
//! is put together at run time from its prefix and harmless characters.

use proptest::prelude::*;

use super::*;

const HEX: &str = "3f9a0c7e51b8d246";
const CAPITAL: &str = "Q7ZX3VMK8TRW2BNC";
const LETTER: &str = "q7Zx3VmK8tRw1BnC5yDfG9hJ2kLpS4aE6uN0";
pub(super) const WORD: &str = "q7Zx-3VmK8tRw_1BnC5yDfG9hJ2kLpS4aE6u";
pub(super) const BASE64: &str = "q7Zx+3VmK8tRw/1BnC5yDfG9hJ2kLpS4aE6u";

/// Prefix, characters after it, minimum length and, if there is one, maximum length.
const TABLE: [(&str, &str, usize, Option<usize>); 60] = [
    ("sk-ant-", WORD, 40, None),
    ("sk-proj-", WORD, 40, None),
    ("sk-svcacct-", WORD, 40, None),
    ("sk-admin-", WORD, 40, None),
    ("sk-", LETTER, 32, None),
    ("sk-or-v1-", HEX, 64, Some(64)),
    ("gsk_", LETTER, 48, None),
    ("xai-", LETTER, 64, None),
    ("hf_", LETTER, 34, None),
    ("ghp_", LETTER, 36, None),
    ("gho_", LETTER, 36, None),
    ("ghr_", LETTER, 36, None),
    ("ghu_", LETTER, 36, None),
    ("ghs_", LETTER, 36, None),
    ("github_pat_", WORD, 80, None),
    ("glpat-", WORD, 20, None),
    ("gldt-", WORD, 20, None),
    ("glrt-", WORD, 20, None),
    ("AKIA", CAPITAL, 16, Some(16)),
    ("ASIA", CAPITAL, 16, Some(16)),
    ("AIza", WORD, 35, Some(35)),
    ("AQ.Ab", WORD, 40, None),
    ("GOCSPX-", WORD, 28, Some(28)),
    ("ya29.", WORD, 40, None),
    ("dop_v1_", HEX, 64, Some(64)),
    ("doo_v1_", HEX, 64, Some(64)),
    ("dor_v1_", HEX, 64, Some(64)),
    ("dapi", HEX, 32, Some(32)),
    ("xoxb-", WORD, 24, None),
    ("xoxp-", WORD, 24, None),
    ("xoxa-", WORD, 24, None),
    ("xoxr-", WORD, 24, None),
    ("xoxs-", WORD, 24, None),
    ("xoxe-", WORD, 24, None),
    ("xapp-", WORD, 24, None),
    ("sk_live_", LETTER, 20, None),
    ("rk_live_", LETTER, 20, None),
    ("sk_test_", LETTER, 20, None),
    ("rk_test_", LETTER, 20, None),
    ("whsec_", BASE64, 32, Some(88)),
    ("SK", HEX, 32, Some(32)),
    ("shpat_", HEX, 32, Some(32)),
    ("shpss_", HEX, 32, Some(32)),
    ("shpca_", HEX, 32, Some(32)),
    ("shppa_", HEX, 32, Some(32)),
    ("npm_", LETTER, 36, Some(36)),
    ("pypi-AgE", WORD, 50, None),
    ("cio", LETTER, 32, Some(32)),
    ("cio_tp_", LETTER, 32, Some(32)),
    ("lin_api_", LETTER, 40, None),
    ("ntn_", LETTER, 40, None),
    ("secret_", LETTER, 43, Some(43)),
    ("hvs.", WORD, 24, None),
    ("hvb.", WORD, 64, None),
    ("dp.st.", WORD, 40, None),
    ("dp.pt.", WORD, 40, None),
    ("dp.ct.", WORD, 40, None),
    ("dp.sa.", WORD, 40, None),
    ("AGE-SECRET-KEY-1", CAPITAL, 58, Some(58)),
    ("AGE-SECRET-KEY-PQ-1", CAPITAL, 58, Some(58)),
];

pub(super) fn body(characters: &str, length: usize) -> String {
    characters.chars().cycle().take(length).collect()
}

pub(super) fn check(text: &str, expected: &[&str]) {
    let found = find(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>();
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn each_form_is_found_exactly() {
    // SendGrid's form and the three that follow a name are tested below.
    assert_eq!(TABLE.len() + 4, FORMS.len());
    for (prefix, characters, least, most) in TABLE {
        let secret = format!("{prefix}{}", body(characters, least));
        let secret = secret.as_str();
        for (before, after) in [
            ("", ""),
            ("key = \"", "\";"),
            ("KEY=", "\r\n"),
            ("the key (", ")."),
            ("日", "本"),
            (r"{\n", r"\n}"),
            ("?key%3D", "%26"),
            (r"\u0022", r"\u0022"),
            ("\u{1b}[1;32m", "\u{1b}[0m"),
        ] {
            check(&format!("{before}{secret}{after}"), &[secret]);
        }
        check(&format!("{secret} {secret}\n{secret}"), &[secret; 3]);
        check(&format!("x{secret} 1{secret} _{secret} -{secret}"), &[]);
        check(&format!("{prefix}{}", body(characters, least - 1)), &[]);
        let longer = format!("{prefix}{}", body(characters, most.unwrap_or(4000) + 1));
        let expected: &[&str] = if most.is_some() { &[] } else { &[&longer] };
        check(&longer, expected);
        check(&format!("{prefix} and {prefix}{}", "x".repeat(least)), &[]);
    }
}

#[test]
fn parts_behind_dots_belong_to_the_form() {
    let part = body(LETTER, 40);
    for secret in [
        format!("{}{part}.01.1w0{}", "glpat-", "abcdefg"),
        format!("{}12345_eyJ{part}.eyJ{part}.{part}", "ghs_"),
        format!("{}{}.{}", "SG.", body(WORD, 22), body(WORD, 43)),
        format!("{}prd.{part}", "dp.st."),
        format!("{}c.{part}", "ya29."),
    ] {
        check(&format!("see {secret}. And {secret}"), &[&secret, &secret]);
    }
    check(&format!("{}{}.{}", "SG.", body(WORD, 22), body(WORD, 42)), &[]);
}

#[test]
fn a_name_before_a_secret_stays() {
    let key = format!("{}==", body(BASE64, 86));
    check(&format!("AccountName=me;{}{key};Suffix=x", "AccountKey="), &[&key]);
    // A shorter one is no key of that service, but the name says secret all the same.
    check(&format!("{}{};", "AccountKey=", body(BASE64, 80)), &[&body(BASE64, 80)]);
    let key = format!("{}=", body(BASE64, 43));
    check(&format!("Name=Root;{}{key}", "SharedAccessKey="), &[&key]);
    let path = format!("T{}/B{}/{}", body(CAPITAL, 9), body(CAPITAL, 9), body(LETTER, 24));
    check(&format!("https://{}{path}\"", "hooks.slack.com/services/"), &[&path]);
    let example = format!("T00000000/B00000000/{}", "X".repeat(24));
    check(&format!("https://{}{example}", "hooks.slack.com/services/"), &[]);
}

#[test]
fn the_example_of_the_documentation_counts() {
    let key = concat!("AKIA", "IOSFODNN7EXAMPLE");
    check(key, &[key]);
    check(&format!("{key}/20260101/eu-west-1"), &[key]);
    check(&format!("{key}a"), &[]);
    check(&format!("kF{key}"), &[]);
}

#[test]
fn what_touches_or_overlaps_is_found_once() {
    let (first, second) = (body(LETTER, 40), body(LETTER, 36));
    let (first, second) = (format!("{}{first}", "sk-ant-"), format!("{}{second}", "npm_"));
    check(&format!("{first},{second}"), &[&first, &second]);
    check(&format!("{second}/{first}"), &[&second, &first]);
    check(&format!("postgres://u:{second}@h"), &[&second]);
    let ruled = format!("{first}{}", "-".repeat(40));
    check(&ruled, &[&ruled]);
    let glued = format!("{first}-----{} KEY-----\n{}", "BEGIN PRIVATE", body(BASE64, 64));
    check(&glued, &[&glued]);
}

#[test]
fn honest_text_stays() {
    for text in [
        "",
        "sk-",
        "a task-list, a disk-image, sk-xxxxxxxx",
        "tokens begin with ghp_ or github_pat_",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "npm_config_registry=https://registry.npmjs.org npm_package_name",
        "from huggingface_hub import hf_hub_download",
        "sk-ant-api03-replace-me-with-your-own-key-from-the-console",
        "xoxb-not-a-real-token-this-will-not-work",
        "<YOUR_KEY> ${API_KEY} $GITHUB_TOKEN secret_key secret_access_key_of_the_account",
        "9fceb02d0ae598e95dc970b74767f19372d61af8",
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
        "sha512-Kp3mAKIAJ5x0Rw7cTqZ1yBnD9fGhL2kSvE4uN6aXoWgPiQzHtYjMbCdRlUeFsV8A3KmZ5Tn==",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "cargo cio SG.prototype.scioAAAAAA eyJ .eyJ a.eyJ.eyJ SKU SK123 12:AA:34",
    ] {
        check(text, &[]);
    }
}

/// Each of these would take minutes if the work grew with the square of the text.
#[test]
fn hostile_repetition_comes_to_an_end() {
    let begin = format!("-----{} KEY-----", "BEGIN PRIVATE");
    for piece in [
        "sk-ant-",
        " sk-ant-",
        "ghs_.",
        "ghs_q7Zx3V.",
        "ya29.",
        "SG.",
        ".eyJ",
        "eyJ",
        "eyJeyJ.eyJ",
        "postgres://",
        "postgres://a:",
        "redis://a:b",
        "://",
        "whsec_/",
        "SK0",
        "\\nghs_",
        ":AA",
        "hooks.slack.com/services/",
        "AccountKey=",
        "12345678:AA",
        "%20dp.st.",
        "[0mhvs.",
        "password",
        "password=",
        "password: ",
        "password=\"",
        "password=a1",
        "password:\"\\",
        "\\\"token\\\":",
        "--secret ",
        "<password>",
        "name: SECRET\n",
        "SECRET \nvalue",
        "Authorization: a",
        &begin,
        &format!("{begin}\n"),
        &format!("{begin}abc"),
    ] {
        find(&piece.repeat((1 << 18) / piece.len()));
    }
}

#[test]
fn the_vector_search_takes_part() {
    for scanner in &*SCANNERS {
        assert!(scanner.automaton.is_some());
        assert!((1..=64).contains(&scanner.needle_kinds.len()), "{}", scanner.needle_kinds.len());
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let needles = needles().into_iter().map(|(needle, _)| needle).collect::<Vec<_>>();
    let piece = prop_oneof![
        prop::sample::select(needles),
        Just(format!("-----{} KEY-----", "BEGIN PRIVATE")),
        Just(format!("-----{} KEY-----", "END PRIVATE")),
        Just("postgres://a:b@".to_owned()),
        "[A-Za-z0-9_-]{16,90}",
        "[0-9a-f]{32}",
        "[ \\n\\\\.:/@%=\"-]{0,3}",
        "\\PC{0,3}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn ranges_are_in_order_apart_and_of_whole_characters(text in pieces()) {
        let mut done = 0;
        for range in find(&text) {
            prop_assert!(done <= range.start && range.start < range.end, "{text:?}");
            prop_assert!(text.get(range.clone()).is_some(), "{text:?}");
            done = range.end;
        }
    }
}
