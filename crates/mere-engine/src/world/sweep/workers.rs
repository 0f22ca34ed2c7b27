//! The workers of one sweep.
//!
//! The calling thread is the leader: it works like the others, and it alone checks whether the call
//! was cancelled or is late. The others are started once there is enough work, so a small tree is
//! swept by the leader alone.

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mere_core::turn::Turn;

use super::folder::{Sweep, TaskOutput, run};
use super::page::{PageBuilder, Position, SweepPage};
use super::task::Task;
use super::{Collector, SweepPlan};
use crate::world::Omitted;
use crate::world::list::{TraversalError, check_active};
use mere_host::{SharedWork, available_parallelism, fault_point, share_work};

/// The most workers of one sweep.
const MAX_WORKERS: usize = 4;
/// How many tasks must be waiting before other workers are started.
const MIN_TASKS_TO_SHARE: usize = 4;
/// How long the leader waits for the others before it checks whether the call is over.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

struct Workers<'a, H: Collector> {
    plan: &'a SweepPlan<'a>,
    collector: &'a H,
    queue: Mutex<WorkQueue<H::Output>>,
    wake: Condvar,
    /// Whether the call is over. Tasks that are left are abandoned.
    is_stopped: AtomicBool,
}

/// The tasks that are left, and the results so far.
struct WorkQueue<F> {
    tasks: BinaryHeap<Task>,
    busy_workers: usize,
    /// How many workers wait for a task.
    idle_workers: usize,
    page: PageBuilder<F>,
    omitted: Omitted,
    failed: Option<TraversalError>,
    /// The keys of abandoned tasks.
    unfinished: Vec<String>,
}

/// Performs the first task and all that follow from it.
pub(super) fn run_workers<H: Collector>(
    plan: &SweepPlan<'_>,
    collector: &H,
    first: Task,
    turn: &dyn Turn,
) -> Result<SweepPage<H::Output>, TraversalError> {
    let queue = WorkQueue {
        tasks: BinaryHeap::from([first]),
        busy_workers: 0,
        idle_workers: 0,
        page: PageBuilder::new(plan.size),
        omitted: Omitted::default(),
        failed: None,
        unfinished: Vec::new(),
    };
    let (wake, is_stopped) = (Condvar::new(), AtomicBool::new(false));
    let workers = Workers { plan, collector, queue: Mutex::new(queue), wake, is_stopped };
    let (ended, _) = share_work(&workers, |threads| {
        let mut others = available_parallelism(MAX_WORKERS) - 1;
        workers.run_leader(turn, |waiting| {
            if waiting >= MIN_TASKS_TO_SHARE {
                threads.start(std::mem::take(&mut others));
            }
        })
    });
    let queue = workers.queue.into_inner().unwrap_or_else(PoisonError::into_inner);
    queue.into_page(plan, ended)
}

impl<H: Collector> SharedWork for Workers<'_, H> {
    type Output = ();

    fn work(&self) {
        let mut tool = self.collector.make_scratch();
        let is_over = || self.is_stopped.load(Ordering::Relaxed);
        let mut queue = self.lock_queue();
        loop {
            match self.next_step(&mut queue) {
                NextStep::Task(task) => {
                    drop(queue);
                    self.perform(task, &mut tool, &is_over);
                    queue = self.lock_queue();
                }
                NextStep::Wait => {
                    queue.idle_workers += 1;
                    queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
                    queue.idle_workers -= 1;
                }
                NextStep::Done => return,
            }
        }
    }

    fn stop(&self) {
        // With the lock, so that no worker is between its look at the flag and its wait.
        let _board = self.lock_queue();
        self.is_stopped.store(true, Ordering::Relaxed);
        self.wake.notify_all();
    }
}

impl<H: Collector> Workers<'_, H> {
    fn run_leader(
        &self,
        turn: &dyn Turn,
        mut start_others: impl FnMut(usize),
    ) -> Result<(), TraversalError> {
        let mut tool = self.collector.make_scratch();
        let mut ended = Ok(());
        let mut queue = self.lock_queue();
        loop {
            if ended.is_ok() {
                ended = check_active(turn);
            }
            if ended.is_err() || queue.failed.is_some() {
                self.is_stopped.store(true, Ordering::Relaxed);
            }
            match self.next_step(&mut queue) {
                NextStep::Task(task) => {
                    start_others(queue.tasks.len());
                    drop(queue);
                    let is_over =
                        || self.is_stopped.load(Ordering::Relaxed) || check_active(turn).is_err();
                    self.perform(task, &mut tool, &is_over);
                    queue = self.lock_queue();
                }
                NextStep::Wait => {
                    queue.idle_workers += 1;
                    let waited = self.wake.wait_timeout(queue, CHECK_INTERVAL);
                    (queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
                    queue.idle_workers -= 1;
                }
                NextStep::Done => return ended,
            }
        }
    }

    fn next_step(&self, queue: &mut WorkQueue<H::Output>) -> NextStep {
        if self.is_stopped.load(Ordering::Relaxed) {
            // A worker that is busy comes back here and abandons the tasks that it leaves. One that
            // has panicked does not, so nobody waits for either.
            queue.abandon_tasks();
            self.wake.notify_all();
            return NextStep::Done;
        }
        match queue.tasks.pop() {
            Some(task) if queue.page.admits(task.key()) => {
                queue.busy_workers += 1;
                NextStep::Task(task)
            }
            // The smallest key is beyond the page, and so are all the others.
            Some(_) => {
                queue.tasks.clear();
                self.next_step(queue)
            }
            None if queue.busy_workers > 0 => NextStep::Wait,
            None => {
                self.wake.notify_all();
                NextStep::Done
            }
        }
    }

    fn perform(&self, task: Task, tool: &mut H::Scratch, is_over: &dyn Fn() -> bool) {
        let key = task.key().to_owned();
        fault_point("sweep", &key);
        let hand_out = |tasks| self.share_tasks(tasks);
        let mut out = TaskOutput::new(is_over, &hand_out);
        let ended =
            run(&Sweep { plan: self.plan, collector: self.collector }, task, tool, &mut out);
        let TaskOutput { found, omitted, tasks, .. } = out;
        let mut queue = self.lock_queue();
        queue.omitted += omitted;
        queue.tasks.extend(tasks);
        queue.page.add(found, |key, output| self.collector.weight(key, output));
        match ended {
            Ok(()) if is_over() => queue.unfinished.push(key),
            Ok(()) => {}
            Err(error) => queue.failed = queue.failed.take().or(Some(error)),
        }
        queue.busy_workers -= 1;
        self.wake_idle(&queue);
    }

    /// Shares tasks with the other workers before the current one is finished.
    fn share_tasks(&self, tasks: Vec<Task>) {
        let mut queue = self.lock_queue();
        queue.tasks.extend(tasks);
        self.wake_idle(&queue);
    }

    /// Wakes the idle workers, if there is a reason to.
    fn wake_idle(&self, queue: &WorkQueue<H::Output>) {
        let reason = !queue.tasks.is_empty()
            || queue.busy_workers == 0
            || self.is_stopped.load(Ordering::Relaxed);
        if queue.idle_workers > 0 && reason {
            self.wake.notify_all();
        }
    }

    fn lock_queue(&self) -> MutexGuard<'_, WorkQueue<H::Output>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum NextStep {
    Task(Task),
    Wait,
    Done,
}

impl<F> WorkQueue<F> {
    fn abandon_tasks(&mut self) {
        let keys = self.tasks.drain().map(|task| task.key().to_owned());
        self.unfinished.extend(keys);
    }

    /// Returns the page, or why there is none.
    fn into_page(
        self,
        plan: &SweepPlan<'_>,
        ended: Result<(), TraversalError>,
    ) -> Result<SweepPage<F>, TraversalError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let unfinished = self.unfinished.iter().min().filter(|key| self.page.admits(key));
        match ended {
            Ok(()) | Err(TraversalError::TimedOut) => {}
            Err(error) => return Err(error),
        }
        let rest = unfinished.map(|key| Position::From(key.clone()));
        if rest.is_some() && !self.page.is_full() {
            // Time ran out. If nothing was done, the next page would fail in the same way.
            let start = plan.start.map_or("", Position::key);
            if unfinished.is_some_and(|key| key.as_str() <= start) {
                return Err(TraversalError::TimedOut);
            }
        }
        let found = self.page.into_sorted(unfinished.map(String::as_str));
        Ok(SweepPage { entries: found, omitted: self.omitted, resume_at: rest })
    }
}
