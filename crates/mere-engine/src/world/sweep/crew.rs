//! The workers of one sweep.
//!
//! The calling thread leads: it works like the others, and it alone asks whether the call was
//! cancelled or is late. Others join when there is work for them, so a small tree is swept alone.

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use mere_core::turn::Turn;

use super::folder::{Yield, run};
use super::page::{Basket, Gathered, Position};
use super::task::Task;
use super::{Harvest, Plan};
use crate::world::list::{LookError, go_on};
use mere_host::available_parallelism;

/// The most workers of one sweep.
const MAX_WORKERS: usize = 4;
/// How many tasks must wait before others join.
const WORTHWHILE: usize = 4;
/// How long the leader waits for the others before it looks whether the call is over.
const GLANCE: Duration = Duration::from_millis(20);

struct Crew<'a, H: Harvest> {
    plan: &'a Plan<'a>,
    harvest: &'a H,
    board: Mutex<Board<H::Fruit>>,
    wake: Condvar,
    over: AtomicBool,
}

/// What is to do and what is done.
struct Board<F> {
    tasks: BinaryHeap<Task>,
    busy: usize,
    /// How many wait for something to do.
    idle: usize,
    basket: Basket<F>,
    unaddressable: u64,
    failed: Option<LookError>,
    /// The keys of tasks that were given up.
    unfinished: Vec<String>,
}

/// Does the first task and all that follow from it.
pub(super) fn work<H: Harvest>(
    plan: &Plan<'_>,
    harvest: &H,
    first: Task,
    turn: &dyn Turn,
) -> Result<Gathered<H::Fruit>, LookError> {
    let board = Board {
        tasks: BinaryHeap::from([first]),
        busy: 0,
        idle: 0,
        basket: Basket::new(plan.size),
        unaddressable: 0,
        failed: None,
        unfinished: Vec::new(),
    };
    let (wake, over) = (Condvar::new(), AtomicBool::new(false));
    let crew = Crew { plan, harvest, board: Mutex::new(board), wake, over };
    let ended = thread::scope(|scope| {
        let _leading = Leading(&crew);
        let mut hands = available_parallelism(MAX_WORKERS) - 1;
        crew.lead(turn, |waiting| {
            if waiting >= WORTHWHILE {
                for _ in 0..std::mem::take(&mut hands) {
                    scope.spawn(|| crew.help());
                }
            }
        })
    });
    let board = crew.board.into_inner().unwrap_or_else(PoisonError::into_inner);
    board.close(plan, ended)
}

/// The leader's presence: when it is gone, for whatever reason, the others go home.
struct Leading<'a, H: Harvest>(&'a Crew<'a, H>);

impl<H: Harvest> Drop for Leading<'_, H> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Relaxed);
        self.0.wake.notify_all();
    }
}

/// A worker at a task: if it panics, nobody waits for it.
struct Busy<'a, H: Harvest>(&'a Crew<'a, H>);

impl<H: Harvest> Drop for Busy<'_, H> {
    fn drop(&mut self) {
        let mut board = self.0.board();
        board.busy -= 1;
        if thread::panicking() {
            self.0.over.store(true, Ordering::Relaxed);
        }
        self.0.rouse(&board);
    }
}

impl<H: Harvest> Crew<'_, H> {
    fn lead(&self, turn: &dyn Turn, mut call_hands: impl FnMut(usize)) -> Result<(), LookError> {
        let mut tool = self.harvest.tool();
        let mut ended = Ok(());
        let mut board = self.board();
        loop {
            if ended.is_ok() {
                ended = go_on(turn);
            }
            if ended.is_err() || board.failed.is_some() {
                self.over.store(true, Ordering::Relaxed);
            }
            match self.next(&mut board) {
                Next::Task(task) => {
                    call_hands(board.tasks.len());
                    drop(board);
                    let over = || self.over.load(Ordering::Relaxed) || go_on(turn).is_err();
                    self.perform(task, &mut tool, &over);
                    board = self.board();
                }
                Next::Wait => {
                    board.idle += 1;
                    let waited = self.wake.wait_timeout(board, GLANCE);
                    (board, _) = waited.unwrap_or_else(PoisonError::into_inner);
                    board.idle -= 1;
                }
                Next::Done => return ended,
            }
        }
    }

    fn help(&self) {
        let mut tool = self.harvest.tool();
        let over = || self.over.load(Ordering::Relaxed);
        let mut board = self.board();
        loop {
            match self.next(&mut board) {
                Next::Task(task) => {
                    drop(board);
                    self.perform(task, &mut tool, &over);
                    board = self.board();
                }
                Next::Wait => {
                    board.idle += 1;
                    board = self.wake.wait(board).unwrap_or_else(PoisonError::into_inner);
                    board.idle -= 1;
                }
                Next::Done => return,
            }
        }
    }

    fn next(&self, board: &mut Board<H::Fruit>) -> Next {
        if self.over.load(Ordering::Relaxed) {
            board.give_up();
        }
        match board.tasks.pop() {
            Some(task) if board.basket.admits(task.key()) => {
                board.busy += 1;
                Next::Task(task)
            }
            // The smallest is beyond the page, and so are all the others.
            Some(_) => {
                board.tasks.clear();
                self.next(board)
            }
            None if board.busy > 0 => Next::Wait,
            None => {
                self.wake.notify_all();
                Next::Done
            }
        }
    }

    fn perform(&self, task: Task, tool: &mut H::Tool, over: &dyn Fn() -> bool) {
        let _busy = Busy(self);
        let key = task.key().to_owned();
        let hand_out = |tasks| self.hand_out(tasks);
        let mut out = Yield::new(over, &hand_out);
        let ended = run(self.plan, self.harvest, task, (tool, &mut out));
        let Yield { found, unaddressable, tasks, .. } = out;
        let mut board = self.board();
        board.unaddressable += unaddressable;
        board.tasks.extend(tasks);
        board.basket.add(found, |key, fruit| self.harvest.weight(key, fruit));
        match ended {
            Ok(()) if over() => board.unfinished.push(key),
            Ok(()) => {}
            Err(error) => board.failed = board.failed.take().or(Some(error)),
        }
    }

    /// Hands tasks to the others before the one at hand is finished.
    fn hand_out(&self, tasks: Vec<Task>) {
        let mut board = self.board();
        board.tasks.extend(tasks);
        self.rouse(&board);
    }

    /// Wakes whoever waits, if there is reason to.
    fn rouse(&self, board: &Board<H::Fruit>) {
        let reason =
            !board.tasks.is_empty() || board.busy == 0 || self.over.load(Ordering::Relaxed);
        if board.idle > 0 && reason {
            self.wake.notify_all();
        }
    }

    fn board(&self) -> MutexGuard<'_, Board<H::Fruit>> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Next {
    Task(Task),
    Wait,
    Done,
}

impl<F> Board<F> {
    fn give_up(&mut self) {
        let keys = self.tasks.drain().map(|task| task.key().to_owned());
        self.unfinished.extend(keys);
    }

    /// The page, or why there is none.
    fn close(
        self,
        plan: &Plan<'_>,
        ended: Result<(), LookError>,
    ) -> Result<Gathered<F>, LookError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let unfinished = self.unfinished.iter().min().filter(|key| self.basket.admits(key));
        match ended {
            Ok(()) | Err(LookError::Late) => {}
            Err(error) => return Err(error),
        }
        let rest = unfinished.map(|key| Position::From(key.clone()));
        if rest.is_some() && !self.basket.is_full() {
            // Time ran out. Something must have been done, or the next page would do the same.
            let begun = plan.start.map_or("", Position::key);
            if unfinished.is_some_and(|key| key.as_str() <= begun) {
                return Err(LookError::Late);
            }
        }
        let found = self.basket.into_sorted(unfinished.map(String::as_str));
        Ok(Gathered { found, unaddressable: self.unaddressable, rest })
    }
}
