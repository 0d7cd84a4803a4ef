package io.ntrail.live.code.ia32;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.AreaGeometry;
import io.ntrail.live.code.CallbackCode;
import io.ntrail.live.code.GuardCode;
import io.ntrail.live.code.LoaderCalls;
import io.ntrail.live.code.ResumeCalls;
import io.ntrail.live.code.SamplePlaces;
import io.ntrail.live.code.SessionAddresses;
import io.ntrail.live.code.SessionCode;
import io.ntrail.live.code.StoreCode;
import io.ntrail.live.code.ThreadLayout;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.code.TracedReturn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The architecture IA-32. */
public final class Ia32Architecture implements Architecture {
  private static final int JUMP = 5;

  /**
   * CONTEXT_CONTROL and CONTEXT_FULL; Edi, Esi, Ebx, Edx, Ecx, Eax, Ebp and Eip follow each other.
   */
  private static final ThreadLayout THREADS =
      new ThreadLayout(
          716,
          0,
          0x1_0001,
          0x1_0007,
          0x9C,
          8,
          0xC4,
          0xB8,
          TlsOffsets32.STACK_BASE,
          TlsOffsets32.TLS_SLOTS);

  private static final AreaGeometry AREAS =
      new AreaGeometry(
          AreaLayout32.ALIGNMENT,
          AreaLayout32.HEAD,
          AreaLayout32.FIELDS,
          AreaLayout32.STACK_BASE,
          AreaLayout32.THREAD,
          AreaLayout32.CODE,
          AreaLayout32.DATA,
          AreaLayout32.TABLE);

  /** Creates the architecture, which has no state. */
  public Ia32Architecture() {}

  @Override
  public int machine() {
    return MachineType.I386;
  }

  @Override
  public int pointerSize() {
    return Integer.BYTES;
  }

  @Override
  public int addressBits() {
    return Integer.SIZE;
  }

  @Override
  public ThreadLayout threads() {
    return THREADS;
  }

  @Override
  public AreaGeometry areas() {
    return AREAS;
  }

  @Override
  public boolean hasFunctionTables() {
    return false;
  }

  @Override
  public byte[] endlessLoop() {
    return new byte[] {(byte) 0xEB, (byte) 0xFE};
  }

  @Override
  public SessionCode session(SessionAddresses addresses) {
    return new Ia32SessionCode(addresses);
  }

  @Override
  public StoreCode stores() {
    return new StoreRoutine32();
  }

  @Override
  public List<TracedReturn> tracedReturns(long area, Bytes data) {
    List<TracedReturn> returns = new ArrayList<>();
    // The last slot first: a tail call returns into the slot before, from the same place.
    for (int slot = AreaLayout32.SLOTS - 1; slot >= 0; slot--) {
      int at = AreaLayout32.data(slot) - AreaLayout32.DATA;
      if (data.has(at, AreaLayout32.SLOT_DATA)) {
        returns.add(
            new TracedReturn(
                data.u32(at + AreaLayout32.KEY) - Integer.BYTES,
                area + AreaLayout32.code(slot),
                AreaLayout32.STRIDE,
                data.u32(at + AreaLayout32.RET)));
      }
    }
    return returns;
  }

  @Override
  public List<TracedReturn> sampledReturns(Bytes place) {
    long area = place.u32(SamplePlaces.AREA);
    long bytes = place.u32(SamplePlaces.STACK_AT) - SamplePlaces.FRAMES;
    int count = Math.clamp(bytes / SamplePlaces.FRAME_BYTES, 0, AreaLayout32.SLOTS);
    List<TracedReturn> returns = new ArrayList<>();
    for (int frame = 0; frame < count; frame++) {
      int at = SamplePlaces.FRAMES + SamplePlaces.FRAME_BYTES * frame;
      returns.add(
          new TracedReturn(
              place.u32(at) - Integer.BYTES,
              area + AreaLayout32.code(count - 1 - frame),
              AreaLayout32.STRIDE,
              place.u32(at + Long.BYTES)));
    }
    return returns;
  }

  @Override
  public byte[] callRoutine() {
    return TargetRoutines32.call();
  }

  @Override
  public CallbackCode dllNotification(long control, LoaderCalls system) {
    return new DllNotificationCallback32(control, system);
  }

  @Override
  public CallbackCode resumeThread(long control, ResumeCalls system) {
    return new ResumeThreadHook32(control, system);
  }

  /** None: exceptions follow the list of registrations, and their handlers lie in modules. */
  @Override
  public Optional<GuardCode> lookupGuard() {
    return Optional.empty();
  }

  @Override
  public byte[] body(TracedCode function, long at) {
    byte[] unit = function.unit();
    long rest = function.address() + unit.length - (at + unit.length + JUMP);
    if (!function.relative().isEmpty()) {
      throw new IllegalArgumentException("a function that cannot be moved there");
    }
    return new BytesBuilder(unit.length + JUMP).bytes(unit).u8(0xE9).u32((int) rest).toArray();
  }
}
