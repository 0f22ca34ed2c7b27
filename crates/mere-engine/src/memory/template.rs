//! The templates that `mere store init` can start a new store from.
//!
//! This file only builds the YAML values; it writes nothing.

use mere_core::category::CategoryMode;
use mere_core::item::Scope;
use mere_core::request::{NewStore, StoreTemplate};
use serde_json::{Map, Value, json};

/// Returns the entry for a new store in `config.yaml`.
pub(super) fn store_value(new: &NewStore, scope: Scope, path: &str) -> Value {
    let (description, usual, categories) = match new.template {
        StoreTemplate::Blank => ("", CategoryMode::Free, json!({})),
        StoreTemplate::Project if scope == Scope::User => {
            ("My own notes", CategoryMode::Subcategories, project_categories())
        }
        StoreTemplate::Project => {
            ("Notes about this project", CategoryMode::Subcategories, project_categories())
        }
        StoreTemplate::Team => {
            ("Shared notes of the team", CategoryMode::Strict, team_categories())
        }
    };
    let mut store = Map::new();
    store.insert("path".to_owned(), json!(path));
    if !description.is_empty() {
        store.insert("description".to_owned(), json!(description));
    }
    store.insert("categoryMode".to_owned(), json!(new.mode.unwrap_or(usual).name()));
    if categories != json!({}) {
        store.insert("categories".to_owned(), categories);
    }
    Value::Object(store)
}

fn project_categories() -> Value {
    json!({
        "standards": { "description": "Conventions and patterns of this project" },
        "decisions": { "description": "Decisions and the reasons for them" },
        "todo": { "description": "Open tasks" }
    })
}

fn team_categories() -> Value {
    json!({
        "standards": {
            "description": "Conventions and patterns of this project",
            "subcategories": {
                "architecture": { "description": "How the system is built" },
                "testing": { "description": "How it is tested" }
            }
        },
        "decisions": { "description": "Decisions and the reasons for them" },
        "runbooks": { "description": "What to do in an incident" },
        "onboarding": { "description": "What a new team member should know" },
        "todo": { "description": "Open tasks" }
    })
}
