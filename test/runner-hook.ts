/**
 * Loaded before each test file. Node's test runner follows every promise by a hook, which finds the
 * suite of a test that is declared. That is a sixth of the work. `suite.ts` switches it off while
 * tests run: by then they are declared. An error that no test awaits fails the run without it too.
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

/** Without the hook the runner names the error alone. */
function tell(error: unknown): void {
  process.stderr.write(`No test awaits this: ${error instanceof Error ? error.stack : String(error)}\n`)
}

export function pauseRunnerHook(): void {
  runnerHook?.disable()
  process.on('uncaughtExceptionMonitor', tell).on('unhandledRejection', tell)
}

export function resumeRunnerHook(): void {
  runnerHook?.enable()
  process.off('uncaughtExceptionMonitor', tell).off('unhandledRejection', tell)
}
