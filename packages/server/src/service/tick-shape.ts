/** Keeps `process.nextTick`, which each request calls several times, as fast as at the start. */
import { executionAsyncResource } from 'node:async_hooks'

/** The object that Node made for one call. */
const kept: object[] = []

/**
 * Call it when a process begins to serve. Node makes an object for each call, adds some keys one by
 * one, and V8 caches the hidden classes that they lead to. While the server is idle no such object
 * exists, and a few full garbage collections free these classes. V8 then sees new classes and
 * drops its caches. From then on it adds those keys the slow way. A call then takes 310 ns instead
 * of 60 ns. One object that stays keeps the classes (docs/decisions/0109).
 */
export function keepTickShape(): void {
  process.nextTick(() => kept.push(executionAsyncResource()))
}
