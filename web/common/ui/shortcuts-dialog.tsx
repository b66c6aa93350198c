/** The list of keyboard shortcuts, and the switch for single letters. */
import { later } from '../../later-texts.ts'
import { texts } from '../../texts.ts'
import { setSingleKeys, singleKeys } from '../keys.ts'
import { Dialog } from './dialog.tsx'

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={texts.shortcuts} onClose={onClose}>
      {later.shortcutList.groups.map((group) => (
        <section key={group.name} class="stack">
          <h3>{group.name}</h3>
          <table>
            <tbody>
              {group.keys.map(([key, what]) => (
                <tr key={key}>
                  <th scope="row">
                    <kbd>{key}</kbd>
                  </th>
                  <td>{what}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
      <label class="row">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
        />
        {later.shortcutList.single}
      </label>
    </Dialog>
  )
}
