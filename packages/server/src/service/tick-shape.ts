/** Keeps `process.nextTick` as fast as it begins: each request calls it several times. */
import { executionAsyncResource } from 'node:async_hooks'

/** What Node made of one call. */
const kept: object[] = []

/**
 * Call it when a process begins to serve. Node makes an object of each call and adds some of its
 * keys one by one, and V8 remembers the hidden class that each key was added to. While nothing is
 * asked there is no such object, and a few collections of the whole heap take these classes away.
 * V8 then finds others in their place, gives up what it has remembered, and adds those keys the
 * slow way until the process ends: a call takes 310 ns instead of 60. One object that stays keeps
 * the classes (docs/decisions/0109).
 */
export function keepTickShape(): void {
  process.nextTick(() => kept.push(executionAsyncResource()))
}
