//! Work that is divided between threads.
//!
//! This is the only place where threads are started to share the work of a call, and it has one
//! rule: if one of them panics, the others stop, nobody waits for it, and the panic goes on in the
//! calling thread. So a call either has all of its results or fails as a whole.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

use super::parallelism::available_parallelism;

/// Work that several threads share, usually with a queue of what is left to do.
pub trait SharedWork: Sync {
    /// What one thread brings back.
    type Output: Send;

    /// Works until nothing is left to do, or until [`Self::stop`] was called.
    fn work(&self) -> Self::Output;

    /// Makes every thread return soon, also one that waits for something to do. It is called when
    /// one of the threads has panicked.
    fn stop(&self);
}

/// The threads that work besides the calling one.
pub struct WorkerThreads<'scope, 'env, W: SharedWork> {
    scope: &'scope Scope<'scope, 'env>,
    work: &'scope W,
    started: Vec<ScopedJoinHandle<'scope, W::Output>>,
}

impl<'scope, W: SharedWork> WorkerThreads<'scope, '_, W> {
    /// Starts `count` more threads.
    pub fn start(&mut self, count: usize) {
        let work: &'scope W = self.work;
        let scope = self.scope;
        self.started.extend((0..count).map(|_| {
            scope.spawn(move || {
                let _guard = StopOnPanic(work);
                work.work()
            })
        }));
    }
}

/// Stops the other threads if the current one panics.
struct StopOnPanic<'a, W: SharedWork>(&'a W);

impl<W: SharedWork> Drop for StopOnPanic<'_, W> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

/// Runs `lead` on the calling thread, which may start others. Returns when all of them have ended,
/// with what `lead` returned and what each of the others brought back. A panic of any of them is
/// passed on.
pub fn share_work<W: SharedWork, R>(
    work: &W,
    lead: impl for<'scope> FnOnce(&mut WorkerThreads<'scope, '_, W>) -> R,
) -> (R, Vec<W::Output>) {
    thread::scope(|scope| {
        let mut threads = WorkerThreads { scope, work, started: Vec::new() };
        let guard = StopOnPanic(work);
        let result = lead(&mut threads);
        drop(guard);
        let (mut outputs, mut panic) = (Vec::with_capacity(threads.started.len()), None);
        for thread in threads.started {
            match thread.join() {
                Ok(output) => outputs.push(output),
                Err(payload) => panic = panic.or(Some(payload)),
            }
        }
        match panic {
            Some(payload) => resume_unwind(payload),
            None => (result, outputs),
        }
    })
}

/// Applies `map` to every input, on at most `most` threads, and returns the results in the order of
/// the inputs.
pub fn map_in_parallel<I: Sync, R: Send>(
    inputs: &[I],
    most: usize,
    map: impl Fn(&I) -> R + Sync,
) -> Vec<R> {
    map_with_progress(inputs, most, map, || {})
}

/// Does the same as [`map_in_parallel`], and calls `progress` on the calling thread after each
/// input that this thread has finished.
pub fn map_with_progress<I: Sync, R: Send>(
    inputs: &[I],
    most: usize,
    map: impl Fn(&I) -> R + Sync,
    mut progress: impl FnMut(),
) -> Vec<R> {
    let work = ParallelMap { inputs, map, next: AtomicUsize::new(0) };
    let (mut results, others) = share_work(&work, |threads| {
        threads.start(available_parallelism(most.min(inputs.len())).saturating_sub(1));
        let mut results = Vec::with_capacity(inputs.len());
        while let Some(result) = work.map_next() {
            results.push(result);
            progress();
        }
        results
    });
    results.extend(others.into_iter().flatten());
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Recovers from a panic of whoever held a lock: what was left half changed is given up, and the
/// lock can be used again.
pub fn reset_poisoned<'a, T: Default>(
    mutex: &'a Mutex<T>,
    poisoned: PoisonError<MutexGuard<'a, T>>,
) -> MutexGuard<'a, T> {
    let mut guard = poisoned.into_inner();
    *guard = T::default();
    mutex.clear_poison();
    guard
}

/// The work of [`map_in_parallel`].
struct ParallelMap<'a, I, F> {
    inputs: &'a [I],
    map: F,
    /// The number of the first input that nobody has taken.
    next: AtomicUsize,
}

impl<I, R, F: Fn(&I) -> R> ParallelMap<'_, I, F> {
    fn map_next(&self) -> Option<(usize, R)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.inputs.get(number).map(|input| (number, (self.map)(input)))
    }
}

impl<I: Sync, R: Send, F: Fn(&I) -> R + Sync> SharedWork for ParallelMap<'_, I, F> {
    type Output = Vec<(usize, R)>;

    fn work(&self) -> Self::Output {
        std::iter::from_fn(|| self.map_next()).collect()
    }

    fn stop(&self) {
        self.next.store(self.inputs.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::{Barrier, Condvar};
    use std::thread::ThreadId;

    use super::*;

    /// Returns the text of the panic that a call ends with.
    fn panic_of<R>(call: impl FnOnce() -> R) -> String {
        let payload = catch_unwind(AssertUnwindSafe(call)).err().expect("a panic");
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| payload.downcast_ref::<String>().cloned()).expect("a text")
    }

    #[test]
    fn results_have_the_order_of_the_inputs() {
        for count in [0, 1, 2, 1000] {
            let inputs = (0..count).collect::<Vec<usize>>();
            let mut steps = 0;
            let results = map_with_progress(&inputs, usize::MAX, |input| input * 2, || steps += 1);
            assert_eq!(results, inputs.iter().map(|input| input * 2).collect::<Vec<_>>());
            assert!(steps <= count);
        }
    }

    #[test]
    fn a_panic_at_any_input_is_the_callers() {
        let inputs = (0..200).collect::<Vec<usize>>();
        for bad in [0, 1, 57, 199] {
            let map = |input: &usize| assert!(*input != bad, "broke at {input}");
            let panic = panic_of(|| map_in_parallel(&inputs, usize::MAX, map));
            assert_eq!(panic, format!("broke at {bad}"));
        }
    }

    #[test]
    fn nothing_half_changed_is_used_again() {
        let mutex = Mutex::new(vec![1]);
        let lock = || mutex.lock().unwrap_or_else(|poisoned| reset_poisoned(&mutex, poisoned));
        panic_of(|| {
            let mut held = lock();
            held.push(2);
            assert!(held.is_empty(), "broke with {held:?}");
        });
        assert!(lock().is_empty());
        lock().push(3);
        assert_eq!(*lock(), [3]);
    }

    /// Threads that wait for each other; the chosen ones panic once all of them have started.
    struct Waiting<'a> {
        all_there: Barrier,
        panics: &'a (dyn Fn(ThreadId) -> bool + Sync),
        is_stopped: Mutex<bool>,
        wake: Condvar,
    }

    impl SharedWork for Waiting<'_> {
        type Output = ();

        fn work(&self) {
            self.all_there.wait();
            let id = thread::current().id();
            assert!(!(self.panics)(id), "broke in a thread");
            let mut is_stopped = self.is_stopped.lock().unwrap_or_else(PoisonError::into_inner);
            while !*is_stopped {
                is_stopped = self.wake.wait(is_stopped).unwrap_or_else(PoisonError::into_inner);
            }
        }

        fn stop(&self) {
            *self.is_stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
            self.wake.notify_all();
        }
    }

    #[test]
    fn nobody_waits_for_a_thread_that_has_panicked() {
        let caller = thread::current().id();
        let choices: [&(dyn Fn(ThreadId) -> bool + Sync); 3] =
            [&|id| id == caller, &|id| id != caller, &|_| true];
        for panics in choices {
            let work = Waiting {
                all_there: Barrier::new(4),
                panics,
                is_stopped: Mutex::new(false),
                wake: Condvar::new(),
            };
            let call = || {
                share_work(&work, |threads| {
                    threads.start(3);
                    work.work();
                })
            };
            assert_eq!(panic_of(call), "broke in a thread");
        }
    }
}
