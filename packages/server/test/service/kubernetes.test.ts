/**
 * deploy/kubernetes.yaml is valid. Every object has only the fields of its kind, by types generated
 * from Kubernetes' API description. Values that these types call text are ones that Kubernetes
 * knows, and references lead to objects that exist.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { limits } from '../../src/limits.ts'
import { removeFolder, temporaryFolder } from '../../src/testing/folder.ts'

const root = join(import.meta.dirname, '../../../..')
const folder = temporaryFolder()
after(() => removeFolder(folder))

// biome-ignore lint/suspicious/noExplicitAny: what a file has, before anybody knows its type
type Tree = { [name: string]: any }
const text = readFileSync(join(root, 'deploy/kubernetes.yaml'), 'utf8')
const documents = parseAllDocuments(text)
const objects = documents.map((one) => one.toJS() as Tree)
const byKind = (kind: string) => objects.find((one) => one.kind === kind) as Tree

/** Where the types of each kind are, in the package of types. */
const modules: Readonly<Record<string, string>> = {
  ConfigMap: 'core/v1',
  Deployment: 'apps/v1',
  Service: 'core/v1',
  PodDisruptionBudget: 'policy/v1',
}

/**
 * The compiler's errors about these objects; an unknown field is an error, as in any object
 * literal.
 */
function complaintsOf(given: readonly Tree[]): string[] {
  const types = join(createRequire(import.meta.url).resolve('kubernetes-types/package.json'), '..')
  const lines = given.map((one, i) => {
    const { kind, apiVersion } = one
    assert.ok(modules[kind], `${kind} is a kind that this test does not know`)
    const type = `import(${JSON.stringify(join(types, modules[kind]))}).${kind}`
    return `export const object${i}: ${type} & { apiVersion: ${JSON.stringify(apiVersion)}; kind: string } = ${JSON.stringify(one, null, 2)}\n`
  })
  const file = join(folder, 'objects.ts')
  writeFileSync(file, lines.join('\n'))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--pretty', 'false', '--ignoreConfig']
  const { stdout } = spawnSync(process.execPath, [compiler, ...options, file], { encoding: 'utf8', cwd: folder })
  return stdout.split('\n').filter((line) => /error TS/.test(line))
}

/** Every value of a name in a tree. */
function valuesOf(tree: unknown, name: string): unknown[] {
  if (typeof tree !== 'object' || tree === null) return []
  return Object.entries(tree).flatMap(([key, value]) => [...(key === name ? [value] : []), ...valuesOf(value, name)])
}

test('each object has the fields of its kind, with values of their types', () => {
  assert.deepEqual(
    documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]),
    [],
  )
  assert.deepEqual(objects.map(({ kind, apiVersion }) => `${apiVersion} ${kind}`).sort(), [
    'apps/v1 Deployment',
    'policy/v1 PodDisruptionBudget',
    'v1 ConfigMap',
    'v1 Service',
  ])
  assert.deepEqual(complaintsOf(objects), [])
  const spec = byKind('Deployment').spec
  assert.deepEqual([spec.strategy.type], ['RollingUpdate'])
  assert.deepEqual(valuesOf(spec, 'seccompProfile'), [{ type: 'RuntimeDefault' }])
  for (const word of valuesOf(spec, 'whenUnsatisfiable'))
    assert.ok(['DoNotSchedule', 'ScheduleAnyway'].includes(word as string))
  for (const quantity of [valuesOf(spec, 'cpu'), valuesOf(spec, 'memory'), valuesOf(spec, 'sizeLimit')].flat())
    assert.match(quantity as string, /^\d+(\.\d+)?(m|k|[MGT]|[KMGT]i)?$/)
})

test('what would be a mistake is found', () => {
  const spoiling: readonly [RegExp, (container: Tree) => void][] = [
    [/'"?readnessProbe"?' does not exist/, (container) => Object.assign(container, { readnessProbe: {} })],
    [
      /'string' is not assignable to type 'number'/,
      (container) => Object.assign(container.livenessProbe, { periodSeconds: '10' }),
    ],
    [/Property 'name' is missing/, (container) => Reflect.deleteProperty(container, 'name')],
  ]
  const spoilt = spoiling.map(([, spoil]) => {
    const deployment = structuredClone(byKind('Deployment'))
    spoil(deployment.spec.template.spec.containers[0])
    return deployment
  })
  const complaints = complaintsOf(spoilt)
  assert.equal(complaints.length, spoiling.length, complaints.join('\n'))
  for (const [i, [words]] of spoiling.entries()) assert.match(complaints[i] as string, words)
})

test('names lead to what is there, and times fit together', () => {
  const { metadata, spec } = byKind('Deployment')
  const { metadata: labelled, spec: pod } = spec.template
  for (const selector of [
    spec.selector.matchLabels,
    byKind('Service').spec.selector,
    byKind('PodDisruptionBudget').spec.selector.matchLabels,
    ...pod.topologySpreadConstraints.map((one: Tree) => one.labelSelector.matchLabels),
  ])
    for (const [name, value] of Object.entries(selector)) assert.equal(labelled.labels[name], value)
  const [container] = pod.containers
  const ports = container.ports.map((port: Tree) => port.name)
  const wanted = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
    ({ httpGet }) => httpGet,
  )
  assert.deepEqual(
    wanted.map(({ path }) => path),
    ['/livez', '/livez', '/readyz'],
  )
  for (const port of [
    ...wanted.map(({ port: name }) => name),
    ...byKind('Service').spec.ports.map((one: Tree) => one.targetPort),
  ])
    assert.ok(ports.includes(port), port)
  assert.equal(String(container.ports[0].containerPort), byKind('ConfigMap').data.PORT)
  assert.deepEqual(
    container.volumeMounts.map((mount: Tree) => mount.name).sort(),
    pod.volumes.map((volume: Tree) => volume.name).sort(),
  )
  assert.equal(container.envFrom[0].configMapRef.name, byKind('ConfigMap').metadata.name)
  assert.match(text, new RegExp(`kubectl create secret generic ${container.envFrom[1].secretRef.name} `))
  assert.ok(byKind('PodDisruptionBudget').spec.maxUnavailable < spec.replicas, metadata.name)
  const leaving = container.lifecycle.preStop.sleep.seconds + limits.drainMsMax / 1000
  assert.ok(pod.terminationGracePeriodSeconds > leaving, `a pod may need ${leaving} s to leave`)
})
