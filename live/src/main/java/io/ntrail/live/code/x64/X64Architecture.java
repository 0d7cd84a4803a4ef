package io.ntrail.live.code.x64;

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

/** The architecture x64. */
public final class X64Architecture implements Architecture {
  private static final int JUMP = 5;

  /** User-mode addresses end at 2^47. */
  private static final int ADDRESS_BITS = 47;

  /** CONTEXT_CONTROL and CONTEXT_FULL; rax to r15 and rip follow each other. */
  private static final ThreadLayout THREADS =
      new ThreadLayout(
          1232,
          0x30,
          0x10_0001,
          0x10_000B,
          0x78,
          16,
          TargetRoutines.CONTEXT_RSP,
          TargetRoutines.CONTEXT_RIP,
          8,
          TlsOffsets.TLS_SLOTS);

  private static final AreaGeometry AREAS =
      new AreaGeometry(
          AreaLayout.ALIGNMENT,
          AreaLayout.HEAD,
          24,
          AreaLayout.STACK_BASE,
          AreaLayout.THREAD,
          AreaLayout.CODE,
          AreaLayout.DATA,
          AreaLayout.TABLE);

  /** Creates the architecture, which has no state. */
  public X64Architecture() {}

  @Override
  public int machine() {
    return MachineType.AMD64;
  }

  @Override
  public int pointerSize() {
    return Long.BYTES;
  }

  @Override
  public int addressBits() {
    return ADDRESS_BITS;
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
    return true;
  }

  @Override
  public byte[] endlessLoop() {
    return new byte[] {(byte) 0xEB, (byte) 0xFE};
  }

  @Override
  public SessionCode session(SessionAddresses addresses) {
    return new X64SessionCode(addresses);
  }

  @Override
  public StoreCode stores() {
    return new StoreRoutine();
  }

  @Override
  public List<TracedReturn> tracedReturns(long area, Bytes data) {
    List<TracedReturn> returns = new ArrayList<>();
    // The last slot first: a tail call returns into the slot before, from the same place.
    for (int slot = AreaLayout.SLOTS - 1; slot >= 0; slot--) {
      int at = AreaLayout.data(slot) - AreaLayout.DATA;
      if (data.has(at, AreaLayout.SLOT_DATA)) {
        returns.add(
            new TracedReturn(
                data.i64(at + AreaLayout.KEY) - Long.BYTES,
                area + AreaLayout.code(slot),
                AreaLayout.STRIDE,
                data.i64(at + AreaLayout.RET)));
      }
    }
    return returns;
  }

  @Override
  public List<TracedReturn> sampledReturns(Bytes place) {
    long area = place.i64(SamplePlaces.AREA);
    long bytes = place.u32(SamplePlaces.STACK_AT) - SamplePlaces.FRAMES;
    int count = Math.clamp(bytes / SamplePlaces.FRAME_BYTES, 0, AreaLayout.SLOTS);
    List<TracedReturn> returns = new ArrayList<>();
    for (int frame = 0; frame < count; frame++) {
      int at = SamplePlaces.FRAMES + SamplePlaces.FRAME_BYTES * frame;
      returns.add(
          new TracedReturn(
              place.i64(at) - Long.BYTES,
              area + AreaLayout.code(count - 1 - frame),
              AreaLayout.STRIDE,
              place.i64(at + Long.BYTES)));
    }
    return returns;
  }

  @Override
  public byte[] callRoutine() {
    return TargetRoutines.call();
  }

  @Override
  public CallbackCode dllNotification(long control, LoaderCalls system) {
    return new DllNotificationCallback(control, system);
  }

  @Override
  public CallbackCode resumeThread(long control, ResumeCalls system) {
    return new ResumeThreadHook(control, system);
  }

  @Override
  public Optional<GuardCode> lookupGuard() {
    return Optional.of(new LookupGuard());
  }

  @Override
  public byte[] body(TracedCode function, long at) {
    byte[] unit = function.unit();
    long rest = function.address() + unit.length - (at + unit.length + JUMP);
    if (!function.relative().isEmpty() || rest != (int) rest) {
      throw new IllegalArgumentException("a function that cannot be moved there");
    }
    return new BytesBuilder(unit.length + JUMP).bytes(unit).u8(0xE9).u32((int) rest).toArray();
  }
}
