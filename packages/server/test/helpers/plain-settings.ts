/** The settings of a server with nothing configured, for tests that start none. */
import assert from 'node:assert/strict'
import type { CodeSettings } from '../../src/resource/parts/part-handles.ts'

export const plainSettings: CodeSettings = {
  currency: 'USD',
  signUp: 'open',
  of: () => assert.fail('there are no settings of an application'),
}
