package io.ntrail.analysis.dumps;

import io.ntrail.formats.dump.MiscInfo;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The process that was saved.
 *
 * @param pid its id
 * @param name file name of its program; empty if unknown
 * @param path of its program; empty if unknown
 * @param commandLine from its memory; empty if that was not saved
 * @param currentDirectory from its memory; empty if that was not saved
 * @param times when it began, and how much time it used
 */
public record DumpProcess(
    OptionalLong pid,
    String name,
    String path,
    String commandLine,
    String currentDirectory,
    Optional<MiscInfo.Times> times) {}
