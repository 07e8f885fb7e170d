/**
 * Loaded before a run of the proof: takes one condition out of the engine, which is the row of
 * `mutations.ts` that `MUTATION` names.
 */
import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { mutated, mutations } from './mutations.ts'

const mutation = mutations.find(({ name }) => name === process.env.MUTATION)
assert.ok(mutation, `there is no mutation ${process.env.MUTATION}`)

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith(`/src/${mutation.file}`)) return loaded
    return { ...loaded, source: mutated(mutation, String(loaded.source)) }
  },
})
