/** Names of devices for people, from the User-Agent header. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceName } from '../../src/resource/words/device-name.ts'

const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'
const kit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const rows: readonly (readonly [agent: string | null, name: string])[] = [
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [`${windows} ${kit} Chrome/139.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [`${windows} ${kit} Chrome/139.0.0.0 Safari/537.36 Edg/139.0.0.0`, 'Edge on Windows'],
  [`${mac} ${kit} Chrome/139.0.0.0 Safari/537.36 OPR/121.0.0.0`, 'Opera on macOS'],
  [`${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`, 'Safari on macOS'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [`Mozilla/5.0 (Linux; Android 10; K) ${kit} Chrome/139.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  ['curl/8.9.1', 'curl'],
  ['python-requests/2.32', 'python-requests'],
  ['PostmanRuntime/7.43', 'PostmanRuntime'],
  ['node', 'node'],
  ['Mozilla/5.0 (compatible)', 'Unknown'],
  ['', 'Unknown'],
  [null, 'Unknown'],
  ['<script>alert(1)</script>', 'Unknown'],
  ['x'.repeat(10_000), 'x'.repeat(40)],
]

for (const [agent, name] of rows)
  test(`${agent?.slice(0, 80) ?? 'nothing'} is ${name.slice(0, 40)}`, () => assert.equal(deviceName(agent), name))
