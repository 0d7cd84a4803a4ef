package io.ntrail.formats.pe.fixups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.StoredImages;
import io.ntrail.formats.pe.fixups.DynamicFixup.ImportTransfer;
import io.ntrail.formats.pe.fixups.DynamicFixup.IndirectTransfer;
import io.ntrail.formats.pe.fixups.DynamicFixup.SwitchBranch;
import io.ntrail.formats.pe.fixups.DynamicRelocations.Symbol;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** The places that a kernel changes in real drivers, against the instructions that are there. */
@EnabledIf(
    value = "io.ntrail.formats.pe.StoredImages#present",
    disabledReason = "no test data on this machine")
class DynamicRelocationsTest {
  @Test
  void aDriverOfWindows10HasThreeLists() {
    DynamicRelocations table = DynamicRelocations.of(StoredImages.image("windows/acpi.sys"));
    assertEquals(1, table.version());
    assertEquals(
        List.of(
            Symbol.GUARD_IMPORT_CONTROL_TRANSFER,
            Symbol.GUARD_INDIR_CONTROL_TRANSFER,
            Symbol.GUARD_SWITCHTABLE_BRANCH),
        table.lists().stream().map(DynamicRelocations.Fixups::kind).toList());
    assertEquals(3317, table.count(Symbol.GUARD_IMPORT_CONTROL_TRANSFER));
    assertEquals(417, table.count(Symbol.GUARD_INDIR_CONTROL_TRANSFER));
    assertEquals(8, table.count(Symbol.GUARD_SWITCHTABLE_BRANCH));
  }

  @Test
  void anEarlyLaunchDriverHasTwoLists() {
    DynamicRelocations table = DynamicRelocations.of(StoredImages.image("windows/WdBoot.sys"));
    assertEquals(2, table.lists().size());
    assertEquals(144, table.count(Symbol.GUARD_IMPORT_CONTROL_TRANSFER));
    assertEquals(15, table.count(Symbol.GUARD_INDIR_CONTROL_TRANSFER));
  }

  @Test
  void everyImportRecordNamesTheSlotThatItsInstructionUses() {
    PeImage image = StoredImages.image("windows/acpi.sys");
    ImageView view = image.view();
    DynamicRelocations table = DynamicRelocations.of(image);
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger jumps = new AtomicInteger();
    table.forEach(fixup -> {
      if (fixup instanceof ImportTransfer(long rva, boolean call, int index)) {
        (call ? calls : jumps).incrementAndGet();
        assertEquals(0x48, view.u8(rva));
        assertEquals(0xFF, view.u8(rva + 1));
        assertEquals(call ? 0x15 : 0x25, view.u8(rva + 2));
        assertEquals(table.slot(index), rva + 7 + view.i32(rva + 3));
        assertEquals(call ? 0x0044_1F0FL : 0xCC, call ? view.u32(rva + 7) : view.u8(rva + 7));
      }
    });
    assertEquals(3303, calls.get());
    assertEquals(14, jumps.get());
  }

  @Test
  void everyIndirectRecordStandsOnAnIndirectCallOrJump() {
    PeImage image = StoredImages.image("windows/acpi.sys");
    ImageView view = image.view();
    AtomicInteger seen = new AtomicInteger();
    DynamicRelocations.of(image)
        .forEach(fixup -> {
          if (fixup instanceof IndirectTransfer indirect) {
            seen.incrementAndGet();
            long at = indirect.rva() + (indirect.rexW() ? 1 : 0);
            assertEquals(0xFF, view.u8(at));
            int operands = view.u8(at + 1);
            int kind = operands >>> 3 & 7;
            assertTrue(indirect.call() ? kind == 2 : kind == 4, () -> "FF " + operands);
          } else if (fixup instanceof SwitchBranch(long rva, int register)) {
            assertEquals(0xFF, view.u8(rva));
            assertEquals(0xE0 + register, view.u8(rva + 1));
          }
        });
    assertEquals(417, seen.get());
  }

  @Test
  void realTablesHaveNoGaps() {
    for (String name : List.of("windows/acpi.sys", "windows/WdBoot.sys")) {
      PeImage image = StoredImages.image(name);
      DynamicRelocations.of(image);
      assertEquals(List.of(), image.gaps(), name);
    }
  }
}
