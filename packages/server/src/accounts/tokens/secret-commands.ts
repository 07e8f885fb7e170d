/** The command `bindery secrets rotate`: replaces the generated secret of access tokens. */

import { randomBytes } from 'node:crypto'
import { type Command, type Console, defineCommand } from '../../command/define-command.ts'
import { StartError } from '../../errors.ts'
import { consolePrincipal } from '../../resource/principal.ts'

/**
 * Records the rotation in the audit, where the application has one. A leaked secret must be
 * replaced even where the application cannot be opened.
 */
async function recordRotation(cli: Console, now: boolean): Promise<void> {
  try {
    await cli.withEngine(async ({ catalog, records }) => {
      if (!catalog.audit) return
      const { authorOf } = await import('../../record/author.ts')
      const { recordAudit } = await import('../audit/audit.ts')
      const told = { event: 'secrets-rotated', userId: null, details: { now } } as const
      await records.transaction(authorOf(consolePrincipal(catalog)), (tx) => recordAudit(tx, told))
    })
  } catch (error) {
    cli.output.note(`The audit does not say so: ${(error as Error).message}`)
  }
}

async function rotate(cli: Console, now: boolean): Promise<void> {
  const { output } = cli
  const secret = await cli.keptSecret()
  const { insteadOfIt, where } = secret
  if (insteadOfIt === 'key pair')
    throw new StartError(
      'With JWT_ALG=EdDSA a key pair signs access tokens, and no secret: set another JWT_PRIVATE_KEY, the old one as JWT_PUBLIC_KEY_PREVIOUS for 15 minutes, and restart every server; sessions end by bindery sessions end --all',
    )
  if (insteadOfIt === 'variable')
    throw new StartError(
      'The environment sets the secret, JWT_SECRET. Set another there (openssl rand -base64 48), the old one as JWT_SECRET_PREVIOUS for 15 minutes, and restart every server',
    )
  const { accessTokenSeconds } = await import('./access-token.ts')
  const { replaceSecret } = await import('./stored-secrets.ts')
  // Tokens that were signed a moment ago live so long, and clocks of servers differ by seconds.
  const graceMs = (accessTokenSeconds + 60) * 1000
  const drawn = () => randomBytes(48).toString('base64url')
  const kept = await secret.keep(drawn())
  await secret.replace(replaceSecret(kept, drawn(), { graceMs: now ? 0 : graceMs, nowMs: Date.now() }))
  await recordRotation(cli, now)
  if (output.json) return output.value({ rotated: true, where, oldEndsInSeconds: now ? 0 : graceMs / 1000 })
  await output.write(`A new secret is kept ${where}.\n`)
  output.note(
    now
      ? 'The old one is gone: restart every server now. Until a server restarts, it takes the old one. An attacker with the old secret could have made tokens for any session: bindery sessions end --all'
      : `Restart every server, one after another: from its start it signs with the new one. Tokens of the old one are good for ${graceMs / 60_000} minutes more; users stay logged in.`,
  )
}

const rotateSecret = defineCommand({
  name: 'rotate',
  about: 'keep another one; running servers accept it at once and sign with it from their next start',
  options: { now: { flag: '--now', about: 'the old one leaked: it ends with the restart of each server' } },
  examples: ['bindery secrets rotate', 'bindery secrets rotate --now && systemctl restart bindery'],
  run: ({ options: { now = false } }, cli) => rotate(cli, now),
})

export const secretCommands: Command = {
  name: 'secrets',
  about: 'the secret that signs access tokens',
  commands: [rotateSecret],
}
