/**
 * Errors that no code handles do not end the server. The log has each, with the code of the
 * application that began the work where that is known.
 */
import type { Log } from '../../http/logs/log.ts'
import { placeOfCode } from '../../record/guard/code-place.ts'
import { unguarded } from '../../record/guard/guarded-code.ts'

const strays = {
  uncaughtException: 'an error that nothing catches',
  unhandledRejection: 'a rejected promise that nothing handles: await it, or give it a catch',
} as const

/** Node calls these listeners in the context of the code that left the error. */
export function logStrayErrors({ error: tell }: Pick<Log, 'error'>): void {
  for (const [event, left] of Object.entries(strays))
    process.on(event, (error) => {
      const code = placeOfCode()
      const by = code ?? 'Code that is not known'
      // The log may need a timer, which guarded code must not start.
      unguarded(() => tell(`${by} left ${left}`, error, code === undefined ? {} : { code }))
    })
}
