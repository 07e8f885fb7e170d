/** The dashboard and the alarms in deploy/ use only metrics and labels that the server has. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { startService as startLibrary } from '../../src/testing/index.ts'
import { startService } from '../helpers/application.ts'
import { library } from '../webhooks/library-with-hooks.ts'

const deploy = join(import.meta.dirname, '../../../../deploy')
const alarms = readFileSync(join(deploy, 'alarms.yml'), 'utf8')
const dashboard = JSON.parse(readFileSync(join(deploy, 'grafana.json'), 'utf8')) as Record<string, unknown>

/** The labels of each metric, those of all its samples. */
const labelsOf = new Map<string, Set<string>>()

async function readMetrics({ metricsAddress }: { readonly metricsAddress?: string | undefined }): Promise<void> {
  const text = await (await fetch(`${metricsAddress}/metrics`)).text()
  for (const line of text.split('\n')) {
    const match = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line)
    if (!match) continue
    const labels = labelsOf.get(match[1] as string) ?? new Set()
    for (const [, name] of (match[2] ?? '').matchAll(/(\w+)="/g)) labels.add(name as string)
    labelsOf.set(match[1] as string, labels)
  }
}

/** One application has most of it, the other has changes and webhooks. */
before(async () => {
  const service = await startService({ METRICS_PORT: '0' })
  await service.ask('GET', '/shelves')
  await service.ask('POST', '/shelves', { body: { label: 'a', room: 'b' } })
  await readMetrics(service.service)
  await service.stop()
  const hooks = await startLibrary(library(), { env: { METRICS_PORT: '0' } })
  await readMetrics(hooks.service)
  await hooks.stop()
})

/**
 * Of PostgreSQL alone, of a service that has backups, of an application that has mails, and what
 * Prometheus adds itself.
 */
const elsewhere = new Map([
  ['bindery_pool_connections', ['pool', 'state']],
  ['bindery_change_log_lag_seconds', []],
  ['bindery_backup_age_seconds', []],
  ['bindery_mails_waiting', []],
  ['bindery_feed_held_seconds', []],
  ['bindery_feed_holder_pid', []],
  ['up', []],
])
const ofPrometheus = new Set(['job', 'instance', 'le'])

/**
 * The words of an expression that are no function, keyword or number: metrics with their labels.
 */
function check(expression: string): void {
  assert.equal(expression.split('(').length, expression.split(')').length, expression)
  const bare = expression.replace(/"[^"]*"/g, '""').replaceAll('$__rate_interval', '5m')
  const metrics = [...bare.matchAll(/\b(up|bindery_\w+)\b(?:\{([^}]*)\})?/g)]
  assert.ok(metrics.length > 0, expression)
  const known = new Set(ofPrometheus)
  for (const [, name = '', matchers = ''] of metrics) {
    const labels = labelsOf.get(name) ?? elsewhere.get(name)
    assert.ok(labels, `${name} is no metric: ${expression}`)
    for (const label of labels) known.add(label)
    for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g))
      assert.ok(ofPrometheus.has(label) || [...labels].includes(label), `${name} has no label ${label}`)
  }
  for (const [, list = ''] of bare.matchAll(/\bby \(([^)]*)\)/g))
    for (const label of list.split(',')) assert.ok(known.has(label.trim()), `${label} is no label in ${expression}`)
}

test('each of the fourteen alarms asks for what there is, and says what to do', () => {
  const expressions = [...alarms.matchAll(/^ {8}expr: (.+)$/gm)].map(([, text]) => text as string)
  assert.equal(expressions.length, 14)
  assert.equal([...alarms.matchAll(/^ {6}- alert: Bindery\w+$/gm)].length, 14)
  assert.equal([...alarms.matchAll(/^ {10}do: .+$/gm)].length, 14)
  for (const expression of expressions) check(expression)
})

test('each panel of the dashboard asks for what there is', () => {
  const panels = dashboard.panels as readonly { title: string; targets: readonly { expr: string }[] }[]
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  assert.ok(expressions.length > 20)
  for (const expression of expressions) check(expression)
  const asked = new Set(expressions.join(' ').match(/bindery_\w+/g))
  const families = [...labelsOf.keys()].filter((name) => !/_(bucket|sum|count)$/.test(name))
  const missing = families.filter((name) => !asked.has(name))
  assert.deepEqual(missing, ['bindery_start_time_seconds', 'bindery_build_info', 'bindery_kept_answers_entries'])
})
