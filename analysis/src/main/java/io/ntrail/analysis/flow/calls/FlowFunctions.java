package io.ntrail.analysis.flow.calls;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.formats.collections.LongIntMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The functions that were executed, by address; each address is looked up once. */
public final class FlowFunctions {
  private static final int NONE = 0;

  private final List<CodeModule> modules;
  private final List<FlowFunction> functions = new ArrayList<>();
  private final LongIntMap byStart = new LongIntMap();
  private final LongIntMap byAddress = new LongIntMap();

  /** Number of the function of a block, plus 1; 0: not looked up yet. */
  private int[] byBlock = new int[256];

  /** Numbers of the functions of blocks, those without a name too; 0 if not known yet. */
  private int[] anyByBlock = new int[256];

  /** No functions yet of some files. */
  public FlowFunctions(List<CodeModule> modules) {
    this.modules = List.copyOf(modules);
  }

  /** Returns the modules that functions are in. */
  public List<CodeModule> modules() {
    return modules;
  }

  /** Returns the functions that were met, each at its number minus 1. */
  public List<FlowFunction> met() {
    return functions;
  }

  /** Returns a function by its number. */
  public FlowFunction get(int number) {
    return functions.get(number - 1);
  }

  /** Returns the number of the named function that an address is in; 0 if there is none. */
  public int at(long address) {
    int known = byAddress.get(address);
    if (known >= 0) {
      return known;
    }
    int found = NONE;
    for (CodeModule module : modules) {
      if (module.contains(address)) {
        found =
            module
                .names()
                .at(address - module.base())
                .map(named -> number(module.base() + named.start(), module, named.name()))
                .orElse(NONE);
        break;
      }
    }
    byAddress.put(address, found);
    return found;
  }

  /** Returns the number of the function of a block, 0 if it has no name. */
  int of(CodeBlocks blocks, int block) {
    if (block >= byBlock.length) {
      byBlock = Arrays.copyOf(byBlock, Math.max(block + 1, 2 * byBlock.length));
    }
    if (byBlock[block] == 0) {
      byBlock[block] = at(blocks.start(block)) + 1;
    }
    return byBlock[block] - 1;
  }

  /** Returns the number of the function of a block; one that begins there, if it has no name. */
  int orNew(CodeBlocks blocks, int block) {
    if (block >= anyByBlock.length) {
      anyByBlock = Arrays.copyOf(anyByBlock, Math.max(block + 1, 2 * anyByBlock.length));
    }
    if (anyByBlock[block] == 0) {
      anyByBlock[block] = orNew(blocks.start(block));
    }
    return anyByBlock[block];
  }

  /** Returns the number of the function that an address is in; one that begins there, if none. */
  public int orNew(long address) {
    int named = at(address);
    if (named != NONE) {
      return named;
    }
    CodeModule in =
        modules.stream().filter(module -> module.contains(address)).findFirst().orElse(null);
    return number(address, in, "");
  }

  private int number(long start, @Nullable CodeModule module, String name) {
    int known = byStart.get(start);
    if (known >= 0) {
      return known;
    }
    int number = functions.size() + 1;
    functions.add(new FlowFunction(number, module, start, name));
    byStart.put(start, number);
    return number;
  }
}
