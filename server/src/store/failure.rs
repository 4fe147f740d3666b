//! What a statement can fail with, as far as callers tell failures apart: the database is away, a named constraint
//! refused, two transactions got in each other's way, or it is a mistake of ours.

/// A failed statement.
#[derive(Debug, thiserror::Error)]
#[error("a database statement failed")]
pub struct StoreError(#[from] sqlx::Error);

impl StoreError {
    /// The constraint that refused, where one did.
    #[must_use]
    pub fn constraint(&self) -> Option<&str> {
        self.0.as_database_error()?.constraint()
    }

    /// The five letters of the SQL standard, where the database answered.
    #[must_use]
    pub fn sqlstate(&self) -> Option<String> {
        Some(self.0.as_database_error()?.code()?.into_owned())
    }

    /// The transaction lost against another one (serialisation failure, dead-lock): doing it again may work.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self.sqlstate().as_deref(), Some("40001" | "40P01"))
    }

    /// The disk of the database is full: nothing was written.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        self.sqlstate().as_deref() == Some("53100")
    }

    /// The database is away, restarting, full or out of connections: nothing was written.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        match &self.0 {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::BeginFailed => true,
            sqlx::Error::Database(answer) => answer.code().is_some_and(|code| outage_state(&code)),
            _ => false,
        }
    }
}

/// Classes and codes with which Postgres says "not now".
fn outage_state(code: &str) -> bool {
    // 08: connection; 53: out of memory, disk or connections; 57P01 to 57P05: stopped, crashed, starting, dropped, idle;
    // 57014 and 55P03: our own limits on time and locks; 58: the system below; 25006: a standby.
    code.starts_with("08")
        || code.starts_with("53")
        || code.starts_with("57P")
        || code.starts_with("58")
        || matches!(code, "57014" | "55P03" | "25006")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outages_are_told_from_mistakes() {
        assert!(StoreError::from(sqlx::Error::PoolTimedOut).is_outage());
        assert!(StoreError::from(sqlx::Error::Io(std::io::ErrorKind::ConnectionReset.into())).is_outage());
        assert!(!StoreError::from(sqlx::Error::RowNotFound).is_outage());
        for away in ["08006", "53100", "53300", "57P01", "57P02", "57P03", "57014"] {
            assert!(outage_state(away), "{away}");
        }
        for ours in ["23505", "23P01", "42601", "40P01", "22023"] {
            assert!(!outage_state(ours), "{ours}");
        }
    }

    #[test]
    fn its_own_words_hold_nothing_of_the_cause() {
        let error = StoreError::from(sqlx::Error::Protocol("secret".to_owned()));
        assert!(!error.to_string().contains("secret"));
    }
}
