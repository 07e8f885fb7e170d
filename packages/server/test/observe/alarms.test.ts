/**
 * The alarms and Prometheus rules in deploy/: Prometheus' own tool accepts them and our metrics.
 * Each alarm fires for its fault, and none fires without one.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { removeFolder, startService, temporaryFolder } from '../helpers/application.ts'

const deploy = join(import.meta.dirname, '../../../../deploy')
const folder = temporaryFolder()
after(() => removeFolder(folder))

const lacks = spawnSync('promtool', ['--version']).error ? 'promtool is not installed here' : false

/** Throws with what it said where it refuses. */
function promtool(args: readonly string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', input, timeout: 60_000 })
  assert.equal(status, 0, `${stdout}${stderr}`)
}

type Series = readonly (readonly [series: string, values: string])[]

/** A sample a minute: `0+100x60` is a counter that grows by 100. */
const troubles: Readonly<Record<string, Series>> = {
  BinderyGone: [['up{job="bindery",instance="a"}', '0x60']],
  BinderyErrors: [
    ['bindery_http_requests_total{job="bindery",status="500"}', '0+10x60'],
    ['bindery_http_requests_total{job="bindery",status="200"}', '0+500x60'],
  ],
  BinderySlow: [
    ['bindery_http_request_duration_seconds_bucket{job="bindery",le="0.5"}', '0x60'],
    ['bindery_http_request_duration_seconds_bucket{job="bindery",le="1"}', '0+100x60'],
    ['bindery_http_request_duration_seconds_bucket{job="bindery",le="+Inf"}', '0+100x60'],
  ],
  BinderyOverloaded: [['bindery_refusals_total{job="bindery",by="overload"}', '0+60x60']],
  BinderyBackupOld: [['bindery_backup_age_seconds{instance="a"}', '95000+60x60']],
  BinderyHeapFull: [
    ['bindery_heap_used_bytes{instance="a"}', '900x60'],
    ['bindery_heap_limit_bytes{instance="a"}', '1000x60'],
  ],
  BinderyDiskFull: [
    ['bindery_disk_free_bytes{instance="a"}', '5000000-10000x60'],
    ['bindery_disk_bytes{instance="a"}', '10000000x60'],
  ],
  BinderyGuessing: [['bindery_login_failures_total{job="bindery"}', '0+120x60']],
  BinderyDiskSlow: [
    ['bindery_commit_duration_seconds_bucket{instance="a",le="0.5"}', '0x60'],
    ['bindery_commit_duration_seconds_bucket{instance="a",le="1"}', '0+100x60'],
    ['bindery_commit_duration_seconds_bucket{instance="a",le="+Inf"}', '0+100x60'],
  ],
  BinderyChangesUnseen: [['bindery_change_log_lag_seconds{instance="a"}', '20x60']],
  BinderyFeedHeld: [['bindery_feed_lag_seconds{instance="a"}', '100+60x60']],
  BinderyWebhooksFail: [['bindery_webhook_endpoints{job="bindery",state="failing"}', '1x60']],
  BinderyWebhooksGivenUp: [['bindery_webhook_deliveries_total{job="bindery",result="given-up"}', '0+1x60']],
  BinderyWebhooksLate: [['bindery_webhook_late_seconds{job="bindery"}', '600+60x60']],
}

/** The same numbers where nothing is wrong. */
const health: Series = [
  ['up{job="bindery",instance="a"}', '1x60'],
  ['bindery_http_requests_total{job="bindery",status="500"}', '0+1x60'],
  ['bindery_http_requests_total{job="bindery",status="200"}', '0+500x60'],
  ['bindery_http_request_duration_seconds_bucket{job="bindery",le="0.5"}', '0+100x60'],
  ['bindery_http_request_duration_seconds_bucket{job="bindery",le="+Inf"}', '0+100x60'],
  ['bindery_refusals_total{job="bindery",by="overload"}', '0+1x60'],
  ['bindery_refusals_total{job="bindery",by="rate-limit"}', '0+600x60'],
  ['bindery_backup_age_seconds{instance="a"}', '60+60x60'],
  ['bindery_heap_used_bytes{instance="a"}', '500x60'],
  ['bindery_heap_limit_bytes{instance="a"}', '1000x60'],
  ['bindery_disk_free_bytes{instance="a"}', '5000000-1x60'],
  ['bindery_disk_bytes{instance="a"}', '10000000x60'],
  ['bindery_login_failures_total{job="bindery"}', '0+5x60'],
  ['bindery_commit_duration_seconds_bucket{instance="a",le="0.5"}', '0+100x60'],
  ['bindery_commit_duration_seconds_bucket{instance="a",le="+Inf"}', '0+100x60'],
  ['bindery_change_log_lag_seconds{instance="a"}', '0x60'],
  ['bindery_feed_lag_seconds{instance="a"}', '1x60'],
  ['bindery_webhook_endpoints{job="bindery",state="failing"}', '0x60'],
  ['bindery_webhook_endpoints{job="bindery",state="switched-off"}', '3x60'],
  ['bindery_webhook_deliveries_total{job="bindery",result="given-up"}', '5x60'],
  ['bindery_webhook_deliveries_total{job="bindery",result="failed"}', '0+10x60'],
  ['bindery_webhook_late_seconds{job="bindery"}', '3x60'],
]

/** After half an hour of these numbers exactly these alarms ring. */
function scene(series: Series, ringing: readonly string[]) {
  return {
    interval: '1m',
    input_series: series.map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: '40m',
        exp_samples: ringing.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
      },
    ],
  }
}

test('each alarm rings for its trouble, and none rings without', { skip: lacks }, () => {
  assert.equal(Object.keys(troubles).length, 14)
  const scenes = Object.entries(troubles).map(([name, series]) => scene(series, [name]))
  const file = join(folder, 'alarms.json')
  writeFileSync(
    file,
    JSON.stringify({
      rule_files: [join(deploy, 'alarms.yml')],
      evaluation_interval: '1m',
      tests: [...scenes, scene(health, [])],
    }),
  )
  promtool(['test', 'rules', file])
  promtool(['check', 'config', join(deploy, 'prometheus.yml')])
})

test('the numbers are as Prometheus wants them', { skip: lacks }, async () => {
  const { service, ask, stop } = await startService({ METRICS_PORT: '0' })
  try {
    await ask('GET', '/shelves')
    promtool(['check', 'metrics'], await (await fetch(`${service.metricsAddress}/metrics`)).text())
  } finally {
    await stop()
  }
})
