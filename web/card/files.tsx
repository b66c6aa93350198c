/** The files of the card: the list, uploads by button and by dropping files on the dialog, and links. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Attachment, KanbanItem } from '../common/api.ts'
import { contentOf, thumbnailOf } from '../common/files/addresses.ts'
import { acceptFiles, filesOf, hasFiles } from '../common/files/dragged-files.ts'
import { extensionOf, isPicture, linkOf, sizeText } from '../common/files/kinds.ts'
import { cancelUpload, retryUpload, type Upload, uploads } from '../common/files/uploads.ts'
import { textIn } from '../common/forms.ts'
import { isField } from '../common/keys.ts'
import { byId } from '../common/order.ts'
import { Field } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { Failed } from '../common/ui/page.tsx'
import { texts } from '../texts.ts'
import type { CardFiles } from './card-files.ts'

const words = texts.files

/** The service's limits, in characters. */
const LONGEST_NAME = 255
const LONGEST_URL = 2000

export interface FilesProps {
  files: CardFiles
  item: KanbanItem
  canEdit: boolean
}

export default function Files({ files, item, canEdit }: FilesProps) {
  const section = useRef<HTMLElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const [isLinking, setLinking] = useState(false)
  const [renamed, setRenamed] = useState<Attachment>()
  const add = (all: readonly File[]) => {
    for (const file of all) files.upload(file)
  }
  const isOver = useFilesOver(section, canEdit, add)
  usePastedFiles(section, canEdit, add)
  const list = files.records.list(byId)
  const running = uploads.value.filter(({ itemId }) => itemId === item.id)
  const failure = files.failure.value
  // The connection may have come back before this part of the page was loaded.
  useEffect(() => {
    if (files.failure.peek() !== undefined) void files.load()
  }, [files])
  return (
    <section ref={section} class="card-part" aria-labelledby="card-files">
      <div class="spread">
        <h3 id="card-files">{words.title}</h3>
        {canEdit && (
          <div class="row">
            <button type="button" class="button-link" onClick={() => input.current?.click()}>
              <Icon name="add" /> {words.attach}
            </button>
            <button type="button" class="button-link" onClick={() => setLinking(true)}>
              {words.attachLink}
            </button>
            <input
              ref={input}
              type="file"
              multiple
              hidden
              aria-label={words.attach}
              onChange={({ currentTarget }) => {
                add([...(currentTarget.files ?? [])])
                // The same file can be chosen again.
                currentTarget.value = ''
              }}
            />
          </div>
        )}
      </div>
      {failure !== undefined && <Failed isPart error={failure} retry={() => void files.load()} />}
      {canEdit && failure === undefined && list.length + running.length === 0 && (
        <p class="meta">{words.none}</p>
      )}
      {list.length + running.length > 0 && (
        <ul class="files">
          {list.map((file) => (
            <FileRow
              key={file.id}
              files={files}
              file={file}
              isCover={item.coverId === file.id}
              canEdit={canEdit}
              onRename={() => setRenamed(file)}
            />
          ))}
          {running.map((one) => (
            <UploadRow key={one.key} upload={one} />
          ))}
        </ul>
      )}
      {isOver && (
        <p class="files-drop" role="status">
          {words.dropHere}
        </p>
      )}
      {isLinking && (
        <FormDialog
          title={words.attachLink}
          submit={texts.add}
          onClose={() => setLinking(false)}
          send={async (fields) => {
            await files.addLink(textIn(fields, 'url').trim(), textIn(fields, 'name').trim())
            setLinking(false)
          }}
        >
          <Field name="url" label={words.url} maxLength={LONGEST_URL} required autofocus />
          <Field name="name" label={texts.fields.name} maxLength={LONGEST_NAME} />
        </FormDialog>
      )}
      {renamed && (
        <FormDialog
          title={words.renameTitle}
          submit={texts.save}
          onClose={() => setRenamed(undefined)}
          send={async (fields) => {
            await files.rename(renamed.id, textIn(fields, 'name').trim())
            setRenamed(undefined)
          }}
        >
          <Field
            name="name"
            label={texts.fields.name}
            value={renamed.name}
            maxLength={LONGEST_NAME}
            required
            autofocus
          />
        </FormDialog>
      )}
    </section>
  )
}

/** Takes files that are dropped anywhere on the dialog. @returns whether files are being dragged over it */
function useFilesOver(
  section: { current: HTMLElement | null },
  canEdit: boolean,
  onFiles: (files: readonly File[]) => void,
): boolean {
  const [isOver, setOver] = useState(false)
  const take = useRef(onFiles)
  take.current = onFiles
  useEffect(() => {
    const dialog = section.current?.closest('dialog')
    if (!dialog) return
    const show = (isShown: boolean) => {
      // The section may be out of sight.
      dialog.toggleAttribute('data-takes-files', isShown)
      setOver(isShown)
    }
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return
      // The browser must not open the file, also where it is not taken.
      acceptFiles(event)
      if (canEdit) show(true)
      else if (event.dataTransfer) event.dataTransfer.dropEffect = 'none'
    }
    const onLeave = ({ relatedTarget }: DragEvent) => {
      if (!(relatedTarget instanceof Node && dialog.contains(relatedTarget))) show(false)
    }
    const onDrop = (event: DragEvent) => {
      show(false)
      // A text has taken it.
      if (!hasFiles(event) || event.defaultPrevented) return
      event.preventDefault()
      if (canEdit) take.current(filesOf(event.dataTransfer))
    }
    // A text that takes the files stops the event.
    const onAnyDrop = () => show(false)
    dialog.addEventListener('dragover', onOver)
    dialog.addEventListener('dragleave', onLeave)
    dialog.addEventListener('drop', onAnyDrop, true)
    dialog.addEventListener('drop', onDrop)
    return () => {
      dialog.removeEventListener('dragover', onOver)
      dialog.removeEventListener('dragleave', onLeave)
      dialog.removeEventListener('drop', onAnyDrop, true)
      dialog.removeEventListener('drop', onDrop)
    }
  }, [canEdit])
  return isOver
}

/** Takes files that are pasted while the card is the top dialog. A text field takes its own. */
function usePastedFiles(
  section: { current: HTMLElement | null },
  canEdit: boolean,
  onFiles: (files: readonly File[]) => void,
): void {
  useEffect(() => {
    if (!canEdit) return
    const onPaste = (event: ClipboardEvent) => {
      const isOnCard =
        section.current?.closest('dialog') === [...document.querySelectorAll('dialog[open]')].at(-1)
      const files = filesOf(event.clipboardData)
      if (files.length === 0 || !isOnCard || event.defaultPrevented || isField(event.target)) return
      event.preventDefault()
      onFiles(files)
      // It may be out of sight.
      section.current?.scrollIntoView({ block: 'nearest' })
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [canEdit])
}

interface FileRowProps {
  files: CardFiles
  file: Attachment
  isCover: boolean
  canEdit: boolean
  onRename: () => void
}

function FileRow({ files, file, isCover, canEdit, onRename }: FileRowProps) {
  const canCover = isPicture(file)
  return (
    <li class="file">
      <FileLink files={files} file={file} />
      <span class="meta file-facts">
        {file.size === null ? words.link : sizeText(file.size)}
        {isCover && <span class="card-badge">{words.isCover}</span>}
      </span>
      {canEdit && (
        <Menu
          label={texts.actions(file.name)}
          items={[
            canCover && !isCover && { label: words.useAsCover, run: () => void files.setCover(file) },
            isCover && { label: words.removeCover, run: () => void files.setCover(undefined) },
            { label: words.rename, run: onRename },
            { label: texts.delete, run: () => void files.remove(file), isDanger: true },
          ]}
        >
          <Icon name="more" />
        </Menu>
      )}
    </li>
  )
}

/** Opens the file: a picture in the viewer, a link in a tab, anything else as a download. */
function FileLink({ files, file }: { files: CardFiles; file: Attachment }) {
  const { id, name } = file
  const isShown = isPicture(file)
  const parts = (
    <>
      {isShown && file.hasThumbnail ? (
        <img
          class="file-image"
          src={thumbnailOf(id)}
          alt=""
          width={64}
          height={48}
          loading="lazy"
          decoding="async"
          draggable={false}
        />
      ) : (
        <span class="file-image file-type" aria-hidden="true">
          {file.kind === 'link' ? '↗' : extensionOf(name)}
        </span>
      )}
      <bdi class="file-name">{name}</bdi>
    </>
  )
  if (file.kind === 'link') {
    const url = linkOf(file)
    if (url === undefined) return <span class="file-link">{parts}</span>
    return (
      <a class="file-link" href={url} target="_blank" rel="noopener noreferrer nofollow">
        {parts}
      </a>
    )
  }
  if (!isShown) {
    return (
      <a class="file-link" href={contentOf(id)} download={name}>
        {parts}
      </a>
    )
  }
  return (
    <a
      class="file-link"
      href={contentOf(id)}
      target="_blank"
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        files.view(id)
      }}
      rel="noopener"
    >
      {parts}
    </a>
  )
}

/** A file that is being uploaded, or has failed. */
function UploadRow({ upload }: { upload: Upload }) {
  const state = upload.state.value
  const { name, file } = upload
  return (
    <li class="file">
      <span class="file-link">
        <span class="file-image file-type" aria-hidden="true">
          {extensionOf(name)}
        </span>
        <bdi class="file-name">{name}</bdi>
      </span>
      <span class="meta file-facts">
        {state.step === 'waiting' && words.waiting}
        {state.step === 'sending' && (
          <progress aria-label={words.progressOf(name)} max={1} value={state.share} />
        )}
        {state.step !== 'failed' && sizeText(file.size)}
        {state.step === 'failed' && (
          <span class="danger" role="alert" dir="auto">
            {words.notUploaded(state.error)}
          </span>
        )}
      </span>
      <span class="row">
        {state.step === 'failed' && (
          <button
            type="button"
            class="button"
            aria-label={`${texts.tryAgain}: ${name}`}
            onClick={() => retryUpload(upload)}
          >
            {texts.tryAgain}
          </button>
        )}
        <button
          type="button"
          class="button-icon"
          aria-label={state.step === 'failed' ? words.forgetOf(name) : words.cancelOf(name)}
          onClick={() => cancelUpload(upload)}
        >
          <Icon name="close" />
        </button>
      </span>
    </li>
  )
}
