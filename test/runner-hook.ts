/**
 * Loaded before each test file. Node's test runner follows every promise by a hook, which finds the
 * suite of a test that is declared. That is a sixth of the work. `suite.ts` switches it off while
 * tests run: by then they are declared. An error that no test awaits fails the run without it too.
 * Without its hook the runner does not find the test that calls `after` while it runs. The call
 * then belongs to the end of the file.
 */
import hooks, { type AsyncHook } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

let runnerHook: AsyncHook | undefined
const { createHook } = hooks

/** The runner makes its own with the first declaration; those of others stay as they are. */
hooks.createHook = (callbacks) => {
  hooks.createHook = createHook
  syncBuiltinESMExports()
  runnerHook = createHook(callbacks)
  return runnerHook
}

// Not an import, which would load it before: it takes `createHook` as it is loaded.
const runner = process.getBuiltinModule('node:test')

type Close = () => unknown

/** Those that tests have named while they ran. */
const closing: Close[] = []
let isPaused = false
const { after } = runner

runner.after = ((close: Close, options?: object) => {
  if (isPaused) closing.push(close)
  else after(close, options)
}) as typeof after
syncBuiltinESMExports()

/** Does what tests have left for the end of their file. Throws the first error behind the last. */
export async function closeLeft(): Promise<void> {
  const errors: unknown[] = []
  for (const close of closing.splice(0))
    await Promise.resolve()
      .then(close)
      .catch((error) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}

/** Without the hook the runner names the error alone. */
function tell(error: unknown): void {
  process.stderr.write(`No test awaits this: ${error instanceof Error ? error.stack : String(error)}\n`)
}

export function pauseRunnerHook(): void {
  isPaused = true
  runnerHook?.disable()
  process.on('uncaughtExceptionMonitor', tell).on('unhandledRejection', tell)
}

export function resumeRunnerHook(): void {
  isPaused = false
  runnerHook?.enable()
  process.off('uncaughtExceptionMonitor', tell).off('unhandledRejection', tell)
}
