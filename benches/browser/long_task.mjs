/** The longest time that the page's main thread is busy with one task. */

/**
 * The longest task of the main thread while `work` runs, in milliseconds: CPU time, and time spent
 * waiting for the GPU. Time in which other processes have the CPU does not count. Only the main
 * thread dispatches events of type `heard`, which is how it is found in the trace.
 */
export async function longestTask(page, work, heard = 'input') {
  const browser = page.context().browser();
  const categories = ['gpu', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];
  await browser.startTracing(page, { categories });
  await work();
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  const isHeard = ({ name, args }) => name === 'EventDispatch' && args.data?.type === heard;
  const input = traceEvents.find(isHeard);
  if (!input) throw new Error(`no ${heard} event was dispatched`);
  const own = traceEvents.filter(({ pid, tid, ph }) => pid === input.pid && tid === input.tid && ph === 'X');
  const waits = own.filter(({ name }) => name === 'CommandBufferProxyImpl::WaitForGetOffset');
  const busy = own
    .filter(({ name }) => name === 'RunTask')
    .map(({ ts, dur, tdur }) => {
      const within = waits.filter((wait) => wait.ts >= ts && wait.ts < ts + dur);
      return within.reduce((sum, wait) => sum + wait.dur, tdur) / 1000;
    });
  return Math.max(...busy);
}
