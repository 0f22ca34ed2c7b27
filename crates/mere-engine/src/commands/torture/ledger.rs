//! What an actor knows about one file, memory or note: the state that was acknowledged, and the one
//! that may have come into being when the server was killed.

/// A version at one of two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) version: u64,
    pub(super) place: usize,
}

/// What is known about one thing.
#[derive(Debug, Default)]
pub(super) struct Entry {
    acknowledged: Option<State>,
    attempted: Option<State>,
}

/// A thing is not as it was acknowledged.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Loss {
    #[error("{0:?} was acknowledged and is gone")]
    Gone(State),
    #[error("it is at both of its places: {0:?}")]
    Twice([State; 2]),
    #[error("{acknowledged:?} was acknowledged and {found:?} is there")]
    Other { acknowledged: Option<State>, found: State },
}

impl Entry {
    /// Returns the state to start from.
    pub(super) fn current(&self) -> Option<State> {
        self.acknowledged
    }

    /// Takes note of what is asked for now.
    pub(super) fn attempt(&mut self, state: State) {
        self.attempted = Some(state);
    }

    /// Takes note that what was attempted is done.
    pub(super) fn acknowledge(&mut self) {
        self.acknowledged = self.attempted.take().or(self.acknowledged);
    }

    /// Compares what is there with what may be there, and goes on from it.
    pub(super) fn compare(&mut self, found: &[State]) -> Result<(), Loss> {
        let (acknowledged, attempted) = (self.acknowledged, self.attempted.take());
        match *found {
            [] => {
                self.acknowledged = None;
                acknowledged.map_or(Ok(()), |state| Err(Loss::Gone(state)))
            }
            [one] => {
                self.acknowledged = Some(one);
                let is_known = Some(one) == acknowledged || Some(one) == attempted;
                if is_known { Ok(()) } else { Err(Loss::Other { acknowledged, found: one }) }
            }
            [one, other, ..] => {
                self.acknowledged = Some(one);
                Err(Loss::Twice([one, other]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_acknowledged_must_be_there_once() {
        let [old, new, moved] =
            [(1, 0), (2, 0), (2, 1)].map(|(version, place)| State { version, place });
        let mut entry = Entry::default();
        assert_eq!(entry.compare(&[]), Ok(()));
        entry.attempt(old);
        entry.acknowledge();
        assert_eq!(entry.compare(&[]), Err(Loss::Gone(old)));
        entry.attempt(old);
        entry.acknowledge();
        entry.attempt(new);
        assert_eq!(entry.compare(&[old]), Ok(()));
        entry.attempt(new);
        assert_eq!(entry.compare(&[new]), Ok(()));
        let older = Loss::Other { acknowledged: Some(new), found: old };
        assert_eq!(entry.compare(&[old]), Err(older));
        assert_eq!(entry.compare(&[new, moved]), Err(Loss::Twice([new, moved])));
    }
}
