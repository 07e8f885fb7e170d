/**
 * The reads of code that no request waits for, such as effects. Those that may take long take turns
 * with reads of callers, so they hold up no other work. They end with the run.
 */
import type { CodeRun } from '../resource/code/code-context.ts'
import type { ReadClient } from '../storage/storage.ts'
import type { CodeEngine } from './judged-engine.ts'

function readClientOf({ name, signal }: CodeRun): ReadClient {
  return {
    client: `code:${name}`,
    address: '',
    left: () => signal.aborted,
    onLeft(call) {
      if (signal.aborted) call()
      else signal.addEventListener('abort', call, { once: true })
      return () => signal.removeEventListener('abort', call)
    },
  }
}

export function engineOfRun(engine: CodeEngine, run: CodeRun): CodeEngine {
  return { ...engine, storage: engine.storage.by(readClientOf(run)) }
}
