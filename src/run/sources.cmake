ct_folder(run run/changes.c run/colliders.c run/folder.c run/frames.c run/restore.c run/run.c run/stats.c)
