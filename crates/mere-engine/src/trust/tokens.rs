//! Bearer tokens for MCP over HTTP: each fixes the name of the agent that presents it.
//!
//! A token has 256 random bits and is printed once; only its SHA-256 is stored, in the user's
//! config folder, which no root shows. The file is read at every check, so a revoked token is
//! refused at once.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use mere_core::address::AgentName;
use mere_core::digest::Sha256;
use serde_json::{Value, json};

use crate::trust::approvals::records;
use crate::trust::approvals::records::RecordError;
use mere_host::Environment;

const FILE: &str = "mcp-tokens.json";
const PREFIX: &str = "mere_";

/// Why a token could not be created or revoked. For people.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The record could not be saved.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The process has no working directory.
    #[error("the working directory cannot be opened: {0}")]
    WorkingDirectory(mere_host::EnvironmentError),
    /// The system gave no random numbers.
    #[error("the system gave no random numbers: {0}")]
    NoRandomness(String),
}

/// A token as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The id by which it is revoked.
    pub id: String,
    /// The agent it names.
    pub agent: AgentName,
}

/// The user's tokens.
pub struct Tokens {
    environment: Environment,
}

impl Tokens {
    /// Opens the tokens of the user who runs this process.
    pub fn open() -> Result<Self, TokenError> {
        let environment = Environment::read(None).map_err(TokenError::WorkingDirectory)?;
        Ok(Self { environment })
    }

    /// Creates a token for an agent and returns its text, which is stored nowhere.
    pub fn create(&self, agent: &AgentName) -> Result<String, TokenError> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .map_err(|error| TokenError::NoRandomness(error.to_string()))?;
        let text = format!("{PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(secret));
        let hash = hash(&text);
        let id = hash[..12].to_owned();
        self.update(|tokens| {
            tokens.push(json!({ "id": id, "agent": agent.as_str(), "sha256": hash }));
        })?;
        Ok(text)
    }

    /// Returns all tokens, oldest first.
    pub fn list(&self) -> Vec<Token> {
        let tokens = self.read();
        tokens.iter().filter_map(Token::parse).collect()
    }

    /// Removes a token, and returns whether there was one.
    pub fn revoke(&self, id: &str) -> Result<bool, TokenError> {
        let mut found = false;
        self.update(|tokens| {
            let before = tokens.len();
            tokens.retain(|token| token["id"] != id);
            found = tokens.len() < before;
        })?;
        Ok(found)
    }

    /// Returns the agent that a token names, if the token is valid.
    pub fn agent_for(&self, text: &str) -> Option<AgentName> {
        let hash = hash(text);
        let tokens = self.read();
        let token = tokens.iter().find(|token| token["sha256"] == hash)?;
        Token::parse(token).map(|token| token.agent)
    }

    fn read(&self) -> Vec<Value> {
        records::parse_or_empty(self.environment.read_config_or_none(FILE))
    }

    fn update(&self, edit: impl FnOnce(&mut Vec<Value>)) -> Result<(), TokenError> {
        Ok(records::update(self.environment.lock_config(), FILE, edit)?)
    }
}

impl Token {
    fn parse(value: &Value) -> Option<Self> {
        let id = value["id"].as_str()?.to_owned();
        Some(Self { id, agent: value["agent"].as_str()?.parse().ok()? })
    }
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).to_string()
}
