import { useState } from 'preact/hooks';
import { type Pin, readPins, removePin } from '../api/limits.ts';
import { Countdown } from '../parts/countdown.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { NoteDialog } from '../parts/note-dialog.tsx';
import { Empty, Panel, Problem } from '../parts/panel.tsx';
import { useReading } from '../state/reading.ts';

const EVERY_MS = 10_000;

/** Limits that operators have pinned for a time. */
export function PinPanel() {
  const { value, problem, again } = useReading(readPins, EVERY_MS);
  const pins = value?.pins ?? [];
  const [removing, setRemoving] = useState<Pin | null>(null);
  return (
    <>
      <Problem text={problem} />
      <Panel title="Pins">
        {pins.length === 0 ? (
          <Empty>{wordsFor(value, problem)}</Empty>
        ) : (
          <DataTable
            caption="Pinned limits"
            rows={pins}
            keyOf={({ name }) => name}
            columns={[
              { title: 'Name', cell: ({ name }) => <code>{name}</code>, isHead: true },
              { title: 'Holds', cell: ({ what }) => what },
              { title: 'Who', cell: ({ by }) => by },
              { title: 'Why', cell: ({ why }) => why },
              { title: 'Ends in', cell: ({ until }) => <Countdown until={until} /> },
              {
                title: 'Act',
                isNumber: true,
                cell: (pin) => (
                  <button
                    type="button"
                    class="small"
                    aria-label={`Remove pin ${pin.name}`}
                    onClick={() => setRemoving(pin)}
                  >
                    Remove
                  </button>
                ),
              },
            ]}
          />
        )}
      </Panel>
      {removing === null ? null : (
        <NoteDialog
          title="Remove a pin"
          action="Remove"
          onClose={() => setRemoving(null)}
          onConfirm={async (note) => {
            await removePin(removing.name, note);
            again();
          }}
        >
          <p>
            What <code>{removing.name}</code> holds goes back to the configuration.
          </p>
        </NoteDialog>
      )}
    </>
  );
}

function wordsFor(value: { readonly pins: readonly Pin[] | null } | null, problem: string | null): string {
  if (value === null) return problem === null ? 'Looking…' : 'Pins could not be read.';
  return value.pins === null ? 'This service has no pins.' : 'No limit is pinned.';
}
