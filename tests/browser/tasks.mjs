/** How long the page's thread is busy at a time. */
import assert from 'node:assert/strict';

/**
 * The longest that the page's thread was busy in one task while `work` was done, in milliseconds: computing, or waiting for
 * the graphics card. Others use the machine, and what they keep the thread from is no fault of the page; so this is
 * not the time on the clock.
 */
export async function longestTask(page, work, leastTasks = 100, heard = 'input') {
  const browser = page.context().browser();
  const categories = ['gpu', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];
  await browser.startTracing(page, { categories });
  await work();
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  // Only the page's thread hears the slider, or whatever else is touched.
  const input = traceEvents.find(({ name, args }) => name === 'EventDispatch' && args.data?.type === heard);
  const own = traceEvents.filter(({ pid, tid, ph }) => pid === input.pid && tid === input.tid && ph === 'X');
  const waits = own.filter(({ name }) => name === 'CommandBufferProxyImpl::WaitForGetOffset');
  const busy = own
    .filter(({ name }) => name === 'RunTask')
    .map(({ ts, dur, tdur }) => {
      const within = waits.filter((wait) => wait.ts >= ts && wait.ts < ts + dur);
      return within.reduce((sum, wait) => sum + wait.dur, tdur) / 1000;
    });
  assert.ok(busy.length > leastTasks, `the page did something: ${busy.length} tasks`);
  return Math.max(...busy);
}
