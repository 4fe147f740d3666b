//! Ways in which a request does not come to its end.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool};

use crate::dice::Dice;

/// What happens to a request on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Whoever asked goes away after so many steps of the request.
    Dropped(u32),
    /// The database ends all its connections after so many steps.
    Cut(u32),
    /// The server is killed after so many steps, and another one starts.
    Killed(u32),
}

impl Fault {
    /// One in so many requests meets one.
    pub fn roll(dice: &mut Dice, one_in: u64) -> Self {
        if !dice.once_in(one_in) {
            return Self::None;
        }
        let steps = u32::try_from(dice.roll(24)).unwrap();
        match dice.roll(4) {
            0 | 1 => Self::Dropped(steps),
            2 => Self::Cut(steps),
            _ => Self::Killed(steps),
        }
    }
}

/// Takes a request so many steps further. `None`: it is not done yet.
pub async fn steps<F: Future + ?Sized>(mut request: Pin<&mut F>, most: u32) -> Option<F::Output> {
    let mut left = most;
    poll_fn(|context| match request.as_mut().poll(context) {
        Poll::Ready(answer) => Poll::Ready(Some(answer)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// A hand on a database from outside.
pub struct Control {
    connection: PgConnection,
    options: PgConnectOptions,
    name: String,
}

impl Control {
    pub async fn of(pool: &PgPool) -> Self {
        let options = pool.connect_options().as_ref().clone();
        let name = options.get_database().expect("a name").to_owned();
        let connection = options.clone().database("postgres").connect().await.expect("a connection");
        Self { connection, options, name }
    }

    /// How to connect to it.
    pub fn options(&self) -> PgConnectOptions {
        self.options.clone()
    }

    /// Ends every connection to it.
    pub async fn cut(&mut self) {
        sqlx::query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1")
            .bind(&self.name)
            .execute(&mut self.connection)
            .await
            .expect("connections are ended");
    }

    /// Does away with it.
    pub async fn drop_database(mut self) {
        let statement = AssertSqlSafe(format!("drop database {} with (force)", self.name));
        sqlx::query(statement).execute(&mut self.connection).await.expect("no database");
        self.connection.close().await.expect("a clean end");
    }
}
