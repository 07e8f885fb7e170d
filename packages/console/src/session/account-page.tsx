/**
 * The account of the person: its password, and its second factors, which are added, removed and
 * renewed here. Each change asks for the password, or needs a log-in of just before.
 */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client, personId } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import type { Row } from '../api/rows.ts'
import { OwnProof } from '../fields/own-proof.tsx'
import { FactsTable, printTime } from '../operate/facts.tsx'
import { sayError } from '../shell/form-errors.ts'
import { t } from '../words/words.ts'
import { AppCode, RecoveryCodes } from './enrol-step.tsx'
import { beginToEnrol, type Enrolling, enrolPasskey, removeFactor, renewCodes, sentenceOf } from './log-in-steps.ts'
import { hasPasskeys, ways } from './log-in-ways.ts'
import { OwnPassword } from './own-password.tsx'

const key = ['_account', 'factors']

/** An operator's list has those of others too. */
async function readFactors(): Promise<readonly Row[]> {
  const { body } = await client.send('GET', ways.factors as string)
  return (body as { readonly data: readonly Row[] }).data.filter((row) => Object.values(row).includes(personId()))
}

export function AccountPage() {
  return (
    <div className="operate">
      <h1>{t('account')}</h1>
      <OwnPassword />
      {ways.factors === undefined ? <p className="quiet">{t('noFactors')}</p> : <Factors />}
    </div>
  )
}

type Shown =
  | { readonly is: 'list' }
  | { readonly is: 'app'; readonly begun: Enrolling }
  | { readonly is: 'codes'; readonly codes: readonly string[] }
const list: Shown = { is: 'list' }

function Factors() {
  const { data: factors, error } = useQuery({ queryKey: key, queryFn: readFactors })
  const [shown, setShown] = useState<Shown>(list)
  const [problem, setProblem] = useState('')
  const [isSending, setSending] = useState(false)
  const [password, setPassword] = useState('')

  async function perform(work: () => Promise<unknown>): Promise<void> {
    setSending(true)
    setProblem('')
    await work().catch((failed) => setProblem(sentenceOf(failed)))
    setSending(false)
    await queries.invalidateQueries({ queryKey: key })
  }
  const act = (work: () => Promise<unknown>) => void perform(work)
  const done = (codes: readonly string[]) => setShown(codes.length > 0 ? { is: 'codes', codes } : list)
  const same = { act, isSending }
  const confirmed = password === '' ? {} : { currentPassword: password }
  return (
    <>
      <h2>{t('factors')}</h2>
      {shown.is === 'app' && <AppCode {...same} begun={shown.begun} enrolled={done} />}
      {shown.is === 'codes' && <RecoveryCodes {...same} codes={shown.codes} onKept={async () => setShown(list)} />}
      {shown.is === 'list' && (
        <>
          {factors && (
            <FactsTable
              label={t('factors')}
              heads={[t('name'), t('kind'), t('time'), t('actions')]}
              rows={factors.map(({ id, name, type, createdAt }) => ({
                key: String(id),
                cells: [
                  String(name),
                  t(type === 'passkey' ? 'enrolPasskey' : 'enrolApp'),
                  typeof createdAt === 'string' ? printTime(createdAt) : '–',
                  <button
                    key="remove"
                    type="button"
                    disabled={isSending}
                    onClick={() => act(() => removeFactor(String(id), confirmed))}
                  >
                    {t('delete')}
                  </button>,
                ],
              }))}
            />
          )}
          <OwnProof typed={password} onType={setPassword} />
          <p className="log-in-acts">
            <button
              type="button"
              disabled={isSending}
              onClick={() => act(async () => setShown({ is: 'app', begun: await beginToEnrol(confirmed, 'totp') }))}
            >
              {t('addApp')}
            </button>
            {hasPasskeys && (
              <button
                type="button"
                disabled={isSending}
                onClick={() => act(async () => done(await enrolPasskey(confirmed)))}
              >
                {t('addPasskey')}
              </button>
            )}
            {factors !== undefined && factors.length > 0 && (
              <button
                type="button"
                disabled={isSending}
                onClick={() => act(async () => done(await renewCodes(confirmed)))}
              >
                {t('newCodes')}
              </button>
            )}
          </p>
        </>
      )}
      <p role="alert" className="problem">
        {problem || (error && sayError(error))}
      </p>
    </>
  )
}
