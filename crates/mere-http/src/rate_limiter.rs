//! Limits how fast one client may send requests.
//!
//! Each client has a token bucket that is refilled at a steady rate. A client that is a little too
//! fast waits; one that would have to wait long is told to come back later.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The longest time a request is held back.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// How many clients are remembered; full buckets are forgotten first.
const MAX_CLIENTS: usize = 4_096;

/// How fast one client may be.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Requests per second.
    pub per_second: f64,
    /// How many may come at once.
    pub burst: f64,
}

/// Whose requests are counted together.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum ClientKey {
    /// The agent or account that a token names.
    Agent(String),
    /// The machine that a request without a token comes from.
    Address(IpAddr),
}

/// The buckets of all clients.
pub struct RateLimiter<K> {
    rate: Rate,
    buckets: Mutex<HashMap<K, TokenBucket>>,
}

struct TokenBucket {
    tokens: f64,
    updated: Instant,
}

/// The error for a client that must come back later.
#[derive(Debug, PartialEq, Eq)]
pub struct RateLimited {
    /// How long to stay away.
    pub wait: Duration,
}

impl<K: Eq + Hash> RateLimiter<K> {
    /// Creates a limiter in which every client has a full bucket.
    pub fn new(rate: Rate) -> Self {
        Self { rate, buckets: Mutex::new(HashMap::new()) }
    }

    /// Takes one token from the client's bucket. Returns how long to wait, or an error if that is
    /// too long.
    pub fn take(&self, client: K, now: Instant) -> Result<Duration, RateLimited> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_CLIENTS {
            buckets.retain(|_, bucket| bucket.tokens_at(now, self.rate) < self.rate.burst);
        }
        let full = TokenBucket { tokens: self.rate.burst, updated: now };
        let bucket = buckets.entry(client).or_insert(full);
        let left = bucket.tokens_at(now, self.rate) - 1.0;
        let wait = Duration::from_secs_f64((-left).max(0.0) / self.rate.per_second);
        if wait > MAX_WAIT {
            return Err(RateLimited { wait });
        }
        *bucket = TokenBucket { tokens: left, updated: now };
        Ok(wait)
    }
}

impl TokenBucket {
    fn tokens_at(&self, now: Instant, rate: Rate) -> f64 {
        let grown = now.saturating_duration_since(self.updated).as_secs_f64() * rate.per_second;
        (self.tokens + grown).min(rate.burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fast_client_waits_and_a_faster_one_is_sent_away() {
        let limiter = RateLimiter::new(Rate { per_second: 5_000.0, burst: 10_000.0 });
        let start = Instant::now();
        for _ in 0..10_000 {
            assert_eq!(limiter.take("a", start), Ok(Duration::ZERO));
        }
        let wait = limiter.take("a", start).expect("held back");
        assert!(wait > Duration::ZERO && wait < Duration::from_millis(1));
        assert_eq!(limiter.take("b", start), Ok(Duration::ZERO), "another client");
        let sent_away = (0..30_000).find_map(|_| limiter.take("a", start).err());
        assert!(sent_away.is_some_and(|too_fast| too_fast.wait > MAX_WAIT));
        assert_eq!(limiter.take("a", start + Duration::from_mins(1)), Ok(Duration::ZERO));
    }
}
