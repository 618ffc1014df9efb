"""An open leaderboard: what models say of familiar and of shifted rows of tables."""
