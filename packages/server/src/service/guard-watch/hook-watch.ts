/**
 * Names the hook that holds the event loop while it still does: code without an `await` cannot be
 * ended. Only processes that serve an application with guarded code start the thread.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ServedEngine } from '../../accounts/served-engine.ts'
import type { Config } from '../../config.ts'
import { beatAt } from '../../record/guard/code-in-hand.ts'
import { hasGuardedApplication } from './guarded-application.ts'

/** The built package has `.js`. */
const threadFile = new URL(`./hook-watch-thread${extname(import.meta.filename)}`, import.meta.url)
const beatMs = 500

export type HookWatchData = { readonly shared: Int32Array; readonly isForPeople: boolean }

/** It ends with the process. */
export function watchHooks(engine: ServedEngine, { logLevel }: Pick<Config, 'logLevel'>): void {
  const tellsWarnings = !['error', 'fatal', 'silent'].includes(logLevel)
  if (!tellsWarnings || !hasGuardedApplication(engine.catalog, engine.actions)) return
  const { shared, follow } = engine.guard.inHand
  const worker = new Worker(threadFile, {
    workerData: { shared, isForPeople: process.stdout.isTTY === true } satisfies HookWatchData,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
    execArgv: [],
  })
  worker.unref()
  worker.on('error', () => undefined) // the server works without it
  follow((place) => worker.postMessage(place))
  setInterval(() => Atomics.add(shared, beatAt, 1), beatMs).unref()
}
