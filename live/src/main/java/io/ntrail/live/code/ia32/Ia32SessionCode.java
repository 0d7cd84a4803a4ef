package io.ntrail.live.code.ia32;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.AreaCode;
import io.ntrail.live.code.FrameDescriptions;
import io.ntrail.live.code.OverheadTest;
import io.ntrail.live.code.RuntimeImage;
import io.ntrail.live.code.SessionAddresses;
import io.ntrail.live.code.SessionCode;
import io.ntrail.live.code.SlotOverheadTest;
import io.ntrail.live.code.StubWriter;
import io.ntrail.live.code.UnwindProbes;
import io.ntrail.live.code.UnwindTest;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Code of one session for IA-32. */
final class Ia32SessionCode implements SessionCode {
  /** Offset in the runtime block of the end of its code. */
  private static final int END = AreaLayout32.CODE + 0x3000;

  private final RoutineContext32 parts;
  private final RuntimeImage image;
  private final AreaImage32 areas;

  Ia32SessionCode(SessionAddresses addresses) {
    RuntimeBlock32 runtime = new RuntimeBlock32(addresses);
    this.parts = runtime.parts();
    this.areas = new AreaImage32(parts);
    long base = addresses.block();
    BytesBuilder all = new BytesBuilder(END - AreaLayout32.CODE).bytes(runtime.bytes());
    int nothing = add(all, TargetRoutines32.nothing());
    int selfTest = add(all, TargetRoutines32.selfTest(parts.words(), base + next(all)));
    int overhead =
        add(
            all,
            TargetRoutines32.cost(
                parts.words(), parts.record(), parts.tables().detail(), base + next(all)));
    int touch = add(all, TargetRoutines32.touch());
    int copyAreas = add(all, TargetRoutines32.copyAreas(areas.addresses()));
    if (all.size() > END - AreaLayout32.CODE) {
      throw new IllegalStateException("the runtime block is too small");
    }
    this.image =
        new RuntimeImage(
            AreaLayout32.INDEX,
            AreaLayout32.CODE,
            END,
            all.toArray(),
            END,
            0,
            new RuntimeImage.Routines(nothing, nothing, touch, copyAreas, selfTest, overhead));
  }

  private static int next(BytesBuilder all) {
    return AreaLayout32.CODE + (all.size() + 0x3F & ~0x3F);
  }

  private static int add(BytesBuilder all, byte[] routine) {
    int at = next(all);
    all.zeros(at - AreaLayout32.CODE - all.size()).bytes(routine);
    return at;
  }

  @Override
  public RuntimeImage runtime() {
    return image;
  }

  @Override
  public AreaCode areas() {
    return areas;
  }

  @Override
  public long stubBytes(int functions) {
    return StubBlock32.size(functions, parts.tables(), parts.addresses().cells());
  }

  @Override
  public StubWriter stubs(long base) {
    return new StubBlock32(base, parts);
  }

  @Override
  public UnwindTest unwindTest(long area, ToLongFunction<String> functions) {
    return new SlotCallTest(area, areas);
  }

  @Override
  public OverheadTest overheadTest(long area) {
    return new SlotOverheadTest(
        area,
        area + AreaLayout32.code(0),
        AreaLayout32.STRIDE,
        areas.clocks(),
        SlotOverheadTest.calls(parts.record()));
  }

  /** None where calls are added up: there are no records to write. */
  @Override
  public Optional<UnwindProbes> unwindProbes() {
    return parts.tables().exist() ? Optional.empty() : Optional.of(new UnwindProbe(parts));
  }

  @Override
  public Optional<FrameDescriptions> frameDescriptions() {
    return Optional.of(new FrameDescription(parts, areas.exit()));
  }
}
