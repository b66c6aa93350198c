/** Imports a board from another tool's file. */
import { useEffect, useId, useState } from 'preact/hooks'
import { isAdmin } from '../common/session.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Select } from '../common/ui/select.tsx'
import { imports } from '../later-import-texts.ts'
import { href, paths } from '../router.ts'
import { texts } from '../texts.ts'
import { ColumnMapping } from './column-mapping.tsx'
import { FORMATS, type FormatName, guessFields, HEAD, type Preview, previewOf } from './file-format.ts'
import { clearImport, type ImportState, importState, startImport, watchImport } from './import-job.ts'
import { failureOf, importedBefore, progressOf, summaryOf } from './import-texts.ts'
import { ImportedPeople } from './imported-people.tsx'

const look = async (file: File) =>
  previewOf(new Uint8Array(await file.slice(0, HEAD).arrayBuffer()), file.name)

/** The name of a file without its ending, and without the digits that Notion adds. */
const plainName = ({ name }: File) => name.replace(/\.\w+$/, '').replace(/ [0-9a-f]{32}(?:_all)?$/i, '')

/** The time zone whose midnights are days. Of an unknown zip file none: it may be an archive, which takes no such option. */
const zoneFor = (file: File, format: FormatName | '') =>
  format === 'phaseboard' || (format === '' && /\.zip$/i.test(file.name))
    ? undefined
    : Intl.DateTimeFormat().resolvedOptions().timeZone

/** The formats that the user may import. An archive may contain members, so it is for admins only. */
const formats = () =>
  (Object.keys(FORMATS) as FormatName[]).filter((name) => name !== 'phaseboard' || isAdmin.value)

function FileForm({ dropped }: { dropped: File | undefined }) {
  const id = useId()
  const [file, setFile] = useState(dropped)
  const [format, setFormat] = useState<FormatName | ''>('')
  const [preview, setPreview] = useState<Preview | undefined>()
  const [fields, setFields] = useState<string[]>([])
  const [matchNames, setMatchNames] = useState(false)
  const isBoard = format !== 'phaseboard'
  useEffect(() => {
    if (file)
      void look(file).then((seen) => {
        setPreview(seen)
        setFields(guessFields(seen?.header ?? []))
      })
  }, [file])
  const isMapped =
    preview !== undefined && (format === 'csv' || (format === '' && preview.tool === undefined))
  /** The columns whose field is not as guessed. */
  const chosen = () =>
    guessFields(preview?.header ?? []).flatMap((guess, at) =>
      guess === fields[at] ? [] : [`${preview?.header[at]}=${fields[at]}`],
    )
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (file)
          void startImport(file, {
            // Only its name tells a file of Notion, and the service gets none.
            format: format === '' && preview?.tool === 'notion' ? 'notion' : format,
            timeZone: zoneFor(file, format),
            matchNames: isBoard && matchNames,
            again: false,
            map: isMapped ? chosen() : [],
            name:
              preview !== undefined && preview.tool !== 'jira' && preview.tool !== 'kanboard'
                ? plainName(file)
                : undefined,
          })
      }}
    >
      <div class="field">
        <label for={`${id}-file`}>{imports.file}</label>
        <input
          id={`${id}-file`}
          type="file"
          style={{ inlineSize: '100%', minInlineSize: 0 }}
          autofocus
          required={file === undefined}
          aria-describedby={`${id}-hint`}
          onChange={(event) => setFile(event.currentTarget.files?.[0])}
        />
        <p class="meta" id={`${id}-hint`} dir="auto">
          {file === dropped && dropped ? dropped.name : imports.choose}
        </p>
      </div>
      <Select
        label={imports.format}
        value={format}
        options={[['', imports.anyFormat], ...formats().map((name) => [name, FORMATS[name]] as const)]}
        onChoose={(name) => setFormat(name as FormatName | '')}
      />
      {isMapped && (
        <ColumnMapping
          preview={preview}
          fields={fields}
          onChoose={(column, field) => setFields(fields.map((one, at) => (at === column ? field : one)))}
        />
      )}
      {isBoard && (
        <div class="field">
          <label class="row">
            <input
              type="checkbox"
              checked={matchNames}
              aria-describedby={`${id}-match`}
              onChange={({ currentTarget }) => setMatchNames(currentTarget.checked)}
            />
            {imports.matchNames}
          </label>
          <p class="meta" id={`${id}-match`}>
            {imports.matchHint}
          </p>
        </div>
      )}
      <div class="dialog-foot">
        <button type="submit" class="button-primary">
          {imports.start}
        </button>
      </div>
    </form>
  )
}

function Running({ state }: { state: Extract<ImportState, { step: 'sending' | 'running' }> }) {
  const job = state.step === 'running' ? state.job : undefined
  return (
    <div class="stack">
      <progress
        aria-label={imports.progress}
        max={job && job.total > 0 ? job.total : undefined}
        value={job && job.total > 0 ? job.done : undefined}
      />
      <p role="status">{state.step === 'sending' ? imports.sending : progressOf(job)}</p>
    </div>
  )
}

function Done({ job, name, onClose }: Extract<ImportState, { step: 'done' }> & { onClose: () => void }) {
  const { projectId, notes = [], people = [], counts } = job
  return (
    <div class="stack">
      <p role="status" dir="auto">
        {summaryOf(job, name)}
      </p>
      <ImportedPeople people={people} total={counts?.people ?? people.length} />
      {notes.length > 0 && (
        <details>
          <summary>{imports.notes}</summary>
          <ul class="import-notes">
            {notes.map((note) => (
              <li key={note} dir="auto">
                {note}
              </li>
            ))}
          </ul>
        </details>
      )}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={clearImport}>
          {imports.another}
        </button>
        {projectId && (
          <a class="button-primary" href={href(paths.board(projectId))} onClick={onClose}>
            {texts.open}
          </a>
        )}
      </div>
    </div>
  )
}

type NotDoneProps = Extract<ImportState, { step: 'failed' }> & { onClose: () => void }

function NotDone({ error, file, options, onClose }: NotDoneProps) {
  const before = importedBefore(error)
  return (
    <div class="stack">
      <p role="alert" class="danger" dir="auto">
        {failureOf(error)}
      </p>
      <div class="dialog-foot">
        {before?.id && (
          <a class="button" href={href(paths.board(before.id))} onClick={onClose}>
            {texts.open}
          </a>
        )}
        {before && (
          <button
            type="button"
            class="button"
            onClick={() => void startImport(file, { ...options, again: true })}
          >
            {imports.again}
          </button>
        )}
        <button type="button" class="button-primary" onClick={clearImport}>
          {imports.otherFile}
        </button>
      </div>
    </div>
  )
}

export default function ImportDialog({ file, onClose }: { file: File | undefined; onClose: () => void }) {
  const state = importState.value
  useEffect(() => {
    watchImport(true)
    return () => watchImport(false)
  }, [])
  // Another file was dropped while the dialog was open.
  useEffect(clearImport, [file])
  return (
    <Dialog title={imports.title} onClose={onClose}>
      {state === undefined && (
        <FileForm key={file && `${file.name} ${file.size} ${file.lastModified}`} dropped={file} />
      )}
      {(state?.step === 'sending' || state?.step === 'running') && <Running state={state} />}
      {state?.step === 'done' && <Done {...state} onClose={onClose} />}
      {state?.step === 'failed' && <NotDone {...state} onClose={onClose} />}
    </Dialog>
  )
}
