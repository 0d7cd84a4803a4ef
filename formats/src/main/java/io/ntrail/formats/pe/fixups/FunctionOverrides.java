package io.ntrail.formats.pe.fixups;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.fixups.DynamicFixup.FunctionOverride;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The list of function overrides of a dynamic value relocation table, whose shape is its own:
 *
 * <pre>
 * u32 bytes of all records
 * records: u32 RVA of the function, u32 offset of its diagram, u32 bytes of RVAs, u32 bytes of
 *          relocation blocks, the RVAs of the versions, the blocks
 * diagrams: u32 version 1, u32 bytes of nodes, nodes {u16 absent, u16 present, u32 value}
 * </pre>
 *
 * Source: ntimage.h, and System Informer (phlib) for where an offset of a diagram counts from and
 * which nodes are answers.
 */
final class FunctionOverrides {
  private static final int RECORD = 16;
  private static final int NODE = 8;

  private FunctionOverrides() {}

  /** Reads all of them; returns where in the list it stopped. */
  static int read(Bytes list, Consumer<DynamicFixup> visitor) {
    long records = list.u32(0);
    if (records > list.length() - 4) {
      throw new DamagedInput(
          list.name(), list.base(), "function override records extend past the end of their list");
    }
    int end = 4 + (int) records;
    Bytes diagrams = list.slice(end, list.length() - end);
    int at = 4;
    while (end - at >= RECORD) {
      long versions = list.u32(at + 8);
      long blocks = list.u32(at + 12);
      if (versions > end - at - RECORD || blocks > end - at - RECORD - versions) {
        return at;
      }
      int first = at + RECORD;
      int behind = first + (int) versions;
      List<Long> rvas = new ArrayList<>();
      for (int i = first; i + 4 <= behind; i += 4) {
        rvas.add(list.u32(i));
      }
      visitor.accept(
          new FunctionOverride(
              list.u32(at),
              List.copyOf(rvas),
              places(list, behind, behind + (int) blocks),
              diagram(diagrams, list.u32(at + 4))));
      at = behind + (int) blocks;
    }
    return at == end ? list.length() : at;
  }

  private static List<FunctionOverride.Place> places(Bytes list, int from, int end) {
    List<FunctionOverride.Place> places = new ArrayList<>();
    int stop =
        RelocationBlocks.walk(
            list,
            from,
            end,
            (page, at, behind) ->
                Relocations.entries(
                    list,
                    page,
                    at,
                    behind,
                    (rva, type, low) -> places.add(new FunctionOverride.Place(rva, type))));
    if (stop < end) {
      throw new DamagedInput(list.name(), list.base() + stop, "not a function override block");
    }
    return List.copyOf(places);
  }

  private static List<FunctionOverride.Node> diagram(Bytes diagrams, long offset) {
    if (diagrams.length() == 0) {
      return List.of();
    }
    int at = (int) Math.min(offset, diagrams.length());
    Bytes diagram = diagrams.slice(at, diagrams.length() - at);
    long size = diagram.u32(4);
    if (diagram.u32(0) != 1 || size > diagram.length() - 8) {
      throw new DamagedInput(
          diagram.name(), diagram.base(), "the BDD of a function override is not version 1");
    }
    return new Nodes(diagram, (int) size / NODE);
  }

  /**
   * The nodes of a diagram, read in place: many functions may share a diagram, which must not be
   * copied for each.
   */
  private static final class Nodes extends AbstractList<FunctionOverride.Node> {
    private final Bytes diagram;
    private final int count;

    Nodes(Bytes diagram, int count) {
      this.diagram = diagram;
      this.count = count;
    }

    @Override
    public FunctionOverride.Node get(int index) {
      int at = 8 + NODE * Objects.checkIndex(index, count);
      return new FunctionOverride.Node(diagram.u16(at), diagram.u16(at + 2), diagram.u32(at + 4));
    }

    @Override
    public int size() {
      return count;
    }
  }
}
