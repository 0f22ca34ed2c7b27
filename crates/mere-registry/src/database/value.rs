//! The values that statements take and rows hold: four kinds that both databases have.

use super::DatabaseError;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// A row of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Row(pub(super) Vec<Value>);

impl Row {
    /// Returns a column that holds text.
    pub(crate) fn text(&self, column: usize) -> Result<String, DatabaseError> {
        self.optional_text(column)?.ok_or(DatabaseError::Shape)
    }

    /// Returns a column that holds text or nothing.
    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<String>, DatabaseError> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(Some(text.clone())),
            Some(Value::Null) => Ok(None),
            _ => Err(DatabaseError::Shape),
        }
    }

    /// Returns a column that holds a number that is not negative.
    pub(crate) fn number(&self, column: usize) -> Result<u64, DatabaseError> {
        self.optional_number(column)?.ok_or(DatabaseError::Shape)
    }

    /// Returns a column that holds such a number or nothing.
    pub(crate) fn optional_number(&self, column: usize) -> Result<Option<u64>, DatabaseError> {
        match self.0.get(column) {
            Some(Value::Integer(number)) => {
                u64::try_from(*number).map(Some).map_err(|_| DatabaseError::Shape)
            }
            Some(Value::Null) => Ok(None),
            _ => Err(DatabaseError::Shape),
        }
    }

    /// Returns a column that holds bytes.
    pub(crate) fn bytes(&self, column: usize) -> Result<Vec<u8>, DatabaseError> {
        self.optional_bytes(column)?.ok_or(DatabaseError::Shape)
    }

    /// Returns a column that holds bytes or nothing.
    pub(crate) fn optional_bytes(&self, column: usize) -> Result<Option<Vec<u8>>, DatabaseError> {
        match self.0.get(column) {
            Some(Value::Bytes(bytes)) => Ok(Some(bytes.clone())),
            Some(Value::Null) => Ok(None),
            _ => Err(DatabaseError::Shape),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<u64> for Value {
    /// No number here comes near the limit of the databases.
    fn from(number: u64) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
