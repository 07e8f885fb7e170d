/**
 * Runs transactions that collided one after another. Those of this process wait here, without a
 * connection; an advisory lock orders those of other instances. When the first one gives up,
 * another session holds the lock, and all that wait behind it are refused too.
 */
import { hash } from 'node:crypto'

/** Ends the turn. `refusal`: the error for all that wait. */
type LeaveLine = (refusal?: unknown) => void

export type TransactionLines = {
  /** Resolves when the turn comes. Rejects with the refusal of the one before. */
  enter(line: number): Promise<LeaveLine>
}

/** The line of transactions that collided again, at another table. */
export const lineOfAll = 0

/**
 * The line of transactions that collided at the table of this statement:
 * `select … from "things" … for update`
 */
export function lineOf(sql: string): number {
  const table = /\b(?:from|update|into|table)\s+"([^"]+)"/i.exec(sql)?.[1]
  return table === undefined ? lineOfAll : Number.parseInt(hash('sha256', table, 'hex').slice(0, 7), 16)
}

export function makeTransactionLines(): TransactionLines {
  const lines = new Map<number, ((refusal: unknown) => void)[]>()

  function leave(line: number, refusal: unknown): void {
    const waiting = lines.get(line) ?? []
    const next = refusal === undefined ? waiting.splice(0, 1) : waiting.splice(0)
    if (next.length === 0 || refusal !== undefined) lines.delete(line)
    for (const call of next) call(refusal)
  }

  return {
    async enter(line) {
      const waiting = lines.get(line)
      if (!waiting) lines.set(line, [])
      else
        await new Promise<void>((resolve, reject) => {
          waiting.push((refusal) => (refusal === undefined ? resolve() : reject(refusal)))
        })
      return (refusal) => leave(line, refusal)
    },
  }
}
