package io.ntrail.cli.pt;

import io.ntrail.cli.common.TimeRange;
import java.nio.file.Path;

/**
 * Request for the packets of a stream.
 *
 * @param time packets of other times are left out
 * @param limit packets at most; 0: all
 */
record PacketRequest(Path path, ProcessorOptions processor, TimeRange time, long limit) {}
