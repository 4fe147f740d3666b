//! What a table would be if nobody could lock its rows. A control shows by it that the locks are what a test rests on: the
//! programs stay as they are, the database under them is another one.

use sqlx::{AssertSqlSafe, PgPool};

/// Puts a view in the place of a table that reads the rows through a function, so that `for update` finds nothing to lock.
/// Rows cannot be written through it.
pub async fn take_row_locks_away(pool: &PgPool, table: &str) {
    let statements = format!(
        r#"alter table "{table}" rename to "{table}_rows";
           create function "{table}_unlocked"() returns setof "{table}_rows" language plpgsql stable as
               $$ begin return query select * from "{table}_rows"; end $$;
           create view "{table}" as select * from "{table}_unlocked"();"#
    );
    sqlx::raw_sql(AssertSqlSafe(statements)).execute(pool).await.unwrap();
}
