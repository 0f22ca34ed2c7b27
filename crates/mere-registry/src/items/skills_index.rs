//! The public Agent Skills, in the form that agents look for at `/.well-known/agent-skills`.

use mere_core::item::SKILL_FILE;
use mere_core::registry::{ApiPath, VersionRecord};
use serde_json::{Value, json};

use crate::database::DatabaseError;
use crate::error::RegistryError;
use crate::registry::Registry;

/// The most skills of the index.
const MAX_LISTED: u64 = 1_000;

impl Registry {
    /// Lists the newest versions of all public skills.
    pub(crate) fn skills_index(&self) -> Result<Value, RegistryError> {
        let sql = "SELECT v.record FROM directives d JOIN namespaces n ON n.name = d.namespace \
                   JOIN directive_versions v ON v.namespace = d.namespace AND \
                   v.directive_id = d.directive_id AND v.version = d.latest_version \
                   WHERE n.private = 0 AND v.form = 'skill' \
                   ORDER BY d.namespace, d.directive_id LIMIT $1";
        let rows = self.database.read(|connection| connection.query(sql, &[MAX_LISTED.into()]))?;
        let rows: Vec<crate::database::Row> = rows;
        let mut skills = Vec::new();
        for row in &rows {
            let record = VersionRecord::parse(row.text(0)?.as_bytes());
            let record = record.map_err(|_| DatabaseError::Shape)?;
            let statement = record.parse_statement().map_err(|_| DatabaseError::Shape)?;
            let namespace = &record.version.item.namespace;
            let main = statement.files.iter().find(|file| file.path == SKILL_FILE);
            let Some(main) = main else { continue };
            let files = statement.files.iter().map(|file| {
                let url = ApiPath::Blob(namespace.clone(), file.sha256).to_string();
                json!({ "path": file.path, "url": url, "digest": format!("sha256:{}", file.sha256) })
            });
            skills.push(json!({
                "name": record.version.item.id.as_str(),
                "namespace": namespace.as_str(),
                "version": record.version.version.to_string(),
                "type": "skill-md",
                "description": record.description,
                "url": ApiPath::Blob(namespace.clone(), main.sha256).to_string(),
                "digest": format!("sha256:{}", main.sha256),
                "files": files.collect::<Vec<_>>(),
            }));
        }
        Ok(json!({
            "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
            "skills": skills,
        }))
    }
}
