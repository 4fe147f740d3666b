//! May this account start a job now, and on which cards? Pure: the agent passes in what it knows.
