ct_folder(run run/folder.c run/frames.c run/run.c run/stats.c)
