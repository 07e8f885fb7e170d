/**
 * Loaded before a run of the proof: takes one condition out of the engine, which is the row of
 * `mutations.ts` that `MUTATION` names.
 */
import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { mutations } from './mutations.ts'

const mutation = mutations.find(({ name }) => name === process.env.MUTATION)
assert.ok(mutation, `there is no mutation ${process.env.MUTATION}`)
const { file, from, to } = mutation

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith(`/src/${file}`)) return loaded
    const source = String(loaded.source)
    assert.equal(source.split(from).length, 2, `${file} does not have once: ${from}`)
    return { ...loaded, source: source.replace(from, () => to) }
  },
})
