package io.ntrail.live.consumer;

import io.ntrail.formats.pe.MachineType;
import java.util.Arrays;

/**
 * Functions that Windows calls in the agent. They lie anywhere, and know their block by the context
 * of the trace.
 *
 * <p>None waits and none allocates: Windows hands out no event as long as one runs.
 *
 * @param bytes of all
 * @param event offset of the one for an event (EventRecordCallback)
 * @param buffer offset of the one for a buffer (BufferCallback), which ends the trace when it is
 *     told to
 * @param thread offset of the one of the thread, which calls ProcessTrace
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ConsumerCode(byte[] bytes, int event, int buffer, int thread) {
  /** Number of handles that ProcessTrace gets. */
  static final int ONE = 1;

  /** Returns the code for agents of a machine type, x64 or x86. */
  static ConsumerCode of(int machine) {
    return machine == MachineType.I386
        ? new ConsumerCode32().write()
        : new ConsumerCode64().write();
  }

  @Override
  public byte[] bytes() {
    return Arrays.copyOf(bytes, bytes.length);
  }
}
